import SchemaBuilder, { type ObjectRef } from '@pothos/core'
import PrismaPlugin, { getRefFromModel } from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import type { Context } from '../context.ts'
import type { Prisma, PrismaClient } from '../db/generated/client/client.ts'
import type PrismaTypes from '../db/generated/pothos.ts'
import { getDatamodel } from '../db/generated/pothos.ts'
import { signedPrice } from './price.ts'

interface Types {
  Context: Context
  PrismaTypes: PrismaTypes
  DefaultFieldNullability: false
  DefaultEdgesNullability: false
  DefaultNodeNullability: false
  Connection: { totalCount: number | (() => Promise<number>) }
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: string; Output: Date }
    JSON: { Input: unknown; Output: unknown }
  }
}

/** The Pothos builder. Defines what all concepts share. Their types are in their `graphql.ts`. */
export const builder = new SchemaBuilder<Types>({
  plugins: [PrismaPlugin, RelayPlugin],
  defaultFieldNullability: false,
  // GraphQL never runs inside a transaction of its caller.
  prisma: { client: (ctx) => ctx.db as PrismaClient, dmmf: getDatamodel() },
  relay: {
    clientMutationId: 'omit',
    cursorType: 'String',
    nodesOnConnection: { description: 'The records of the page, without their cursors.' },
    edgesFieldOptions: { nullable: false, description: 'The records of the page, each with its cursor.' },
    nodeFieldOptions: { nullable: false, description: 'The record.' },
    cursorFieldOptions: {
      description: 'Opaque position in this list and order, for `after` and `before`.',
      ...signedPrice,
    },
    pageInfoFieldOptions: { description: 'Position of the page in the list.' },
    pageInfoTypeOptions: { description: 'Position of a page in its list.' },
    hasNextPageFieldOptions: { description: 'Whether records follow the page.' },
    hasPreviousPageFieldOptions: { description: 'Whether records precede the page.' },
    startCursorFieldOptions: { description: 'Cursor of the first record. Null for an empty page.' },
    endCursorFieldOptions: { description: 'Cursor of the last record. Null for an empty page.' },
    firstArgOptions: { description: 'Page size. 1 to 200. Defaults to 50.' },
    afterArgOptions: { description: 'Only records after this cursor.' },
    lastArgOptions: { description: 'Page size from the end. 1 to 200. Not together with `first` and `after`.' },
    beforeArgOptions: { description: 'Only records before this cursor. Not together with `first` and `after`.' },
  },
})

builder.queryType({ description: 'Read operations.' })
builder.mutationType({ description: 'Write operations. Each returns a payload with the written record.' })
builder.subscriptionType({ description: 'Live updates by Server-Sent Events (graphql-sse).' })

builder.scalarType('DateTime', {
  description: 'A time as ISO 8601, in UTC, with milliseconds.',
  serialize: (value) => value.toISOString(),
  parseValue: (value) => String(value),
})
builder.scalarType('JSON', {
  description: 'A JSON object.',
  serialize: (value) => value,
  parseValue: (value) => value,
})

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    description: 'Number of records of the whole list. Counted only when selected.',
    resolve: ({ totalCount }) => (typeof totalCount === 'function' ? totalCount() : totalCount),
  }),
)

/** Types of the builder, as Pothos's own types take them. */
export type BuilderTypes = typeof builder.$inferSchemaTypes

/** A row of a model. */
export type ModelRow<M extends Prisma.ModelName> = PrismaTypes[M]['Shape']

/** The GraphQL type of a model. Concepts refer to each other's types by model, not by import. */
export const findType = <M extends Prisma.ModelName>(model: M) =>
  getRefFromModel(model, builder) as unknown as ObjectRef<BuilderTypes, ModelRow<M>>

/** Values of an enum in upper case, each with its description. */
export const enumValues = <T extends string>(descriptions: Record<T, string>) =>
  Object.fromEntries(
    Object.entries<string>(descriptions).map(([value, description]) => [
      value.toUpperCase().replaceAll('.', '_'),
      { value, description },
    ]),
  ) as Record<string, { value: T; description: string }>

/** Defines an enum. @param descriptions its values, each with its description */
export const defineEnum = <T extends string>(name: string, description: string, descriptions: Record<T, string>) =>
  builder.enumType(name, { description, values: enumValues<T>(descriptions) })

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Direction of an order.',
  values: {
    ASC: { value: 'asc', description: 'Smallest, oldest or A first.' },
    DESC: { value: 'desc', description: 'Largest, newest or Z first.' },
  } as const,
})
