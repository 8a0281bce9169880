import SchemaBuilder, { type ObjectRef } from '@pothos/core'
import PrismaPlugin, { getRefFromModel } from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import type { GraphQLResolveInfo } from 'graphql'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import type { Prisma, PrismaClient } from '../db/generated/client/client.ts'
import type PrismaTypes from '../db/generated/pothos.ts'
import { getDatamodel } from '../db/generated/pothos.ts'
import type { ReadArgs } from '../db/query/reader.ts'
import { parse } from '../schema/input.ts'
import { type ListOrder, type PageArgs, type PageQuery, rootPage } from './page.ts'
import { planOf } from './plan.ts'

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

/** The one Pothos builder. It defines what every concept shares: types stand in the concepts' `graphql.ts`. */
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
    cursorFieldOptions: { description: 'Stands for this place of the list, for `after` and `before`.' },
    pageInfoFieldOptions: { description: 'Where the page lies in the list.' },
    pageInfoTypeOptions: { description: 'Where a page lies in its list.' },
    hasNextPageFieldOptions: { description: 'Whether records follow behind it.' },
    hasPreviousPageFieldOptions: { description: 'Whether records come before it.' },
    startCursorFieldOptions: { description: 'Cursor of its first record; null for an empty page.' },
    endCursorFieldOptions: { description: 'Cursor of its last record; null for an empty page.' },
    firstArgOptions: { description: 'How many at most: 1-200; 50 unless told.' },
    afterArgOptions: { description: 'Behind this cursor.' },
    lastArgOptions: { description: 'The last so many instead, 1-200; not together with `first` and `after`.' },
    beforeArgOptions: { description: 'Before this cursor; not together with `first` and `after`.' },
  },
})

builder.queryType({ description: 'Everything that can be read.' })
builder.mutationType({ description: 'Everything that can be changed. Each answers a payload that holds the entity.' })
builder.subscriptionType({ description: 'What is told as it happens, by Server-Sent Events (graphql-sse).' })

builder.scalarType('DateTime', {
  description: 'A time as ISO 8601, in UTC, with milliseconds.',
  serialize: (value) => value.toISOString(),
  parseValue: (value) => String(value),
})
builder.scalarType('JSON', {
  description: 'A JSON object that belongs to the client: kept and answered as it was sent.',
  serialize: (value) => value,
  parseValue: (value) => value,
})

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    description: 'How many records the whole list has. Counted only where it is asked for.',
    resolve: ({ totalCount }) => (typeof totalCount === 'function' ? totalCount() : totalCount),
  }),
)

type Shape<M extends Prisma.ModelName> = PrismaTypes[M]['Shape']

/** The type that shows a model, wherever it is defined: types refer to each other by model, not by import. */
export const typeOf = <M extends Prisma.ModelName>(model: M) =>
  getRefFromModel(model, builder) as unknown as ObjectRef<typeof builder.$inferSchemaTypes, Shape<M>>

const connections = new Map<string, ReturnType<typeof createConnection>>()

/** The two types of a model's connections, to be handed to `t.connection` behind its options. */
export function connectionOf<M extends Prisma.ModelName>(model: M, name: string = model) {
  const known = connections.get(name) ?? createConnection(model, name)
  connections.set(name, known)
  return known as unknown as ReturnType<typeof createConnection<M>>
}

function createConnection<M extends Prisma.ModelName>(model: M, name: string) {
  const type = typeOf(model)
  const edge = builder.edgeObject({ name: `${name}Edge`, description: 'A record and its place in the list.', type })
  const description = 'A page of a list (Relay cursor connections).'
  const connection = builder.connectionObject({ name: `${name}Connection`, description, type }, edge)
  return [connection, edge] as const
}

/**
 * Options of a payload's field that shows the record that was reloaded, read anew with all that is asked of it.
 * @param idOf the record's id
 */
export const reloaded = <M extends Prisma.ModelName, P>(model: M, idOf: (payload: P) => string) => ({
  type: typeOf(model),
  resolve: async (payload: P, _: unknown, ctx: Context, info: GraphQLResolveInfo): Promise<Shape<M>> => {
    const args = { where: { id: idOf(payload) }, plan: planOf(info, ctx) } as unknown as ReadArgs<M>
    return (await ctx.reader.readFirst(model, args, ctx.signal)) as Shape<M>
  },
})

/** Values of an enumeration in GraphQL's way of writing, each with what it means. */
export const enumValues = <T extends string>(descriptions: Record<T, string>) =>
  Object.fromEntries(
    Object.entries<string>(descriptions).map(([value, description]) => [
      value.toUpperCase().replaceAll('.', '_'),
      { value, description },
    ]),
  ) as Record<string, { value: T; description: string }>

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Which end of an order comes first.',
  values: {
    ASC: { value: 'asc', description: 'Smallest, oldest or A first.' },
    DESC: { value: 'desc', description: 'Largest, newest or Z first.' },
  } as const,
})

interface OrderInput {
  field: string
  direction: 'asc' | 'desc'
}

/** The `orderBy` argument of a list: fields that it can be ordered by, under the names that clients write. */
export function orderInput<F extends string>(name: string, fields: Record<F, string>) {
  const field = builder.enumType(`${name}OrderField`, {
    description: 'What a list can be ordered by.',
    values: Object.fromEntries(
      Object.entries<string>(fields).map(([key, description]) => [
        key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
        { value: key, description },
      ]),
    ) as Record<string, { value: F; description: string }>,
  })
  return builder.inputType(`${name}Order`, {
    description: 'The order of a list; the newest first unless told.',
    fields: (t) => ({
      field: t.field({ type: field, required: true, description: 'What it goes by.' }),
      direction: t.field({ type: OrderDirection, required: true, description: 'Which end comes first.' }),
    }),
  })
}

/** An order as the reader takes it; ties are broken by the id. */
export function listOrder(input: OrderInput | null | undefined): ListOrder {
  const { field, direction } = input ?? { field: 'createdAt', direction: 'desc' }
  return { orderBy: [{ [field]: direction }, { id: direction }], key: 'id' }
}

interface ListArguments extends PageArgs {
  filter?: object | null
  orderBy?: OrderInput | null
}

/**
 * The `resolve` of a root connection: pages of the records that a use case finds.
 * @param filterSchema validates the `filter` argument
 */
export const pagesOf =
  <F, T>(
    filterSchema: z.ZodType<F>,
    find: (ctx: Context, filter: F, query: PageQuery) => Promise<readonly T[]>,
    count: (ctx: Context, filter: F) => Promise<number>,
  ) =>
  (_: unknown, { filter, orderBy, ...args }: ListArguments, ctx: Context, info: GraphQLResolveInfo) => {
    const conditions = parseFilter(filterSchema, filter)
    const list = (query: PageQuery) => find(ctx, conditions, query)
    return rootPage({ info, ctx, args, order: listOrder(orderBy), list, count: () => count(ctx, conditions) })
  }

/** The validated `filter` argument of a list. @throws AppError `invalid_input` */
export const parseFilter = <F>(schema: z.ZodType<F>, filter: object | null | undefined): F =>
  parse(schema, omitNulls(filter), 'filter')

/** The validated input of a creation. @throws AppError `invalid_input` */
export const parseCreation = <T>(schema: z.ZodType<T>, input: object | null | undefined): T =>
  parse(schema, omitNulls(input))

type WithoutNulls<T> = { [K in keyof T]?: Exclude<T[K], null> }

/** GraphQL clients send null for a variable that they leave out. */
export function omitNulls<T extends object>(input: T | null | undefined): WithoutNulls<T> {
  return Object.fromEntries(Object.entries(input ?? {}).filter(([, value]) => value !== null)) as WithoutNulls<T>
}
