import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import type { Context } from './context.ts'
import type PrismaTypes from './db/generated/pothos.ts'
import { getDatamodel } from './db/generated/pothos.ts'
import { invalidInput } from './errors.ts'

interface Types {
  Context: Context
  PrismaTypes: PrismaTypes
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: string; Output: Date }
    JSON: { Input: unknown; Output: unknown }
  }
}

/** The one Pothos builder. It defines scalars only: types stand in the concepts' `graphql.ts`. */
export const builder = new SchemaBuilder<Types>({
  plugins: [PrismaPlugin, RelayPlugin],
  defaultFieldNullability: false,
  prisma: { client: (ctx) => ctx.db, dmmf: getDatamodel(), filterConnectionTotalCount: true },
  relay: {
    clientMutationId: 'omit',
    cursorType: 'String',
    firstArgOptions: { description: 'How many, from the start of the list: 1 to 200, 50 unless told.' },
    afterArgOptions: { description: 'Only what follows the entry with this cursor.' },
    lastArgOptions: { description: 'How many, from the end of the list: 1 to 200.' },
    beforeArgOptions: { description: 'Only what comes before the entry with this cursor.' },
    defaultConnectionTypeOptions: { description: 'A page of a list.' },
    defaultEdgeTypeOptions: { description: 'An entry of a list.' },
    edgesFieldOptions: { description: 'The entries of this page.' },
    pageInfoFieldOptions: { description: 'Whether there is more, and where to go on.' },
    nodeFieldOptions: { description: 'The entry itself.' },
    cursorFieldOptions: { description: 'Its place in the list, for `after` and `before`.' },
  },
})

builder.queryType({ description: 'Everything that can be read.' })
builder.mutationType({ description: 'Everything that can be changed. Each answers a payload that holds the entity.' })

builder.scalarType('DateTime', {
  description: 'A time as ISO 8601, in UTC, with milliseconds.',
  serialize: (value) => value.toISOString(),
  parseValue: (value) => String(value),
})
builder.scalarType('JSON', {
  description: 'A JSON value that belongs to the client, or whose form depends on its kind.',
  serialize: (value) => value,
  parseValue: (value) => value,
})

const MAX_PAGE = 200

/** Options of every connection: 50 entries unless told, 200 at most, newest first. */
export const connection = { cursor: 'id', defaultSize: 50, maxSize: MAX_PAGE } as const

/**
 * Refuses a page size that the library would silently cut.
 * @throws AppError `invalid_input`
 */
export function checkPage({ first, last }: { first?: number | null; last?: number | null }): void {
  for (const [name, value] of Object.entries({ first, last })) {
    if (typeof value === 'number' && (value < 1 || value > MAX_PAGE)) {
      throw invalidInput(name, `must be between 1 and ${MAX_PAGE}`)
    }
  }
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], null> }

/** An input without its nulls: GraphQL clients send null for a variable that they leave out. */
export function present<T extends object>(input: T | null | undefined): Present<T> {
  return Object.fromEntries(Object.entries(input ?? {}).filter(([, value]) => value !== null)) as Present<T>
}
