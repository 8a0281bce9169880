import SchemaBuilder, { type ObjectRef } from '@pothos/core'
import PrismaPlugin, { getRefFromModel } from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import type { GraphQLResolveInfo } from 'graphql'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import type { Prisma, PrismaClient } from '../db/generated/client/client.ts'
import type PrismaTypes from '../db/generated/pothos.ts'
import { getDatamodel } from '../db/generated/pothos.ts'
import type { Order } from '../db/query/plan.ts'
import type { ReadArgs } from '../db/query/reader.ts'
import { parse } from '../schema/parse.ts'
import { type PageArgs, type PageQuery, rootPage } from './page.ts'
import { planOf } from './plan.ts'
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

type Shape<M extends Prisma.ModelName> = PrismaTypes[M]['Shape']

/** The GraphQL type of a model. Concepts refer to each other's types by model, not by import. */
export const typeOf = <M extends Prisma.ModelName>(model: M) =>
  getRefFromModel(model, builder) as unknown as ObjectRef<typeof builder.$inferSchemaTypes, Shape<M>>

const connections = new Map<string, ReturnType<typeof createConnection>>()

/** The connection and edge types of a model, as arguments of `t.connection`. */
export function connectionOf<M extends Prisma.ModelName>(model: M, name: string = model) {
  const known = connections.get(name) ?? createConnection(model, name)
  connections.set(name, known)
  return known as unknown as ReturnType<typeof createConnection<M>>
}

function createConnection<M extends Prisma.ModelName>(model: M, name: string) {
  const type = typeOf(model)
  const edge = builder.edgeObject({ name: `${name}Edge`, description: 'A record and its cursor.', type })
  const description = 'A page of a list (Relay cursor connections).'
  const connection = builder.connectionObject({ name: `${name}Connection`, description, type }, edge)
  return [connection, edge] as const
}

/**
 * Options of a payload's field that shows the written record, loaded again with the selected fields.
 * @param idOf the record's id
 */
export const reloaded = <M extends Prisma.ModelName, P>(model: M, idOf: (payload: P) => string) => ({
  type: typeOf(model),
  resolve: async (payload: P, _: unknown, ctx: Context, info: GraphQLResolveInfo): Promise<Shape<M>> => {
    const args = { where: { id: idOf(payload) }, plan: planOf(info, ctx) } as unknown as ReadArgs<M>
    return (await ctx.reader.readFirst(model, args, ctx.signal)) as Shape<M>
  },
})

/** Values of an enum in upper case, each with its description. */
export const enumValues = <T extends string>(descriptions: Record<T, string>) =>
  Object.fromEntries(
    Object.entries<string>(descriptions).map(([value, description]) => [
      value.toUpperCase().replaceAll('.', '_'),
      { value, description },
    ]),
  ) as Record<string, { value: T; description: string }>

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Direction of an order.',
  values: {
    ASC: { value: 'asc', description: 'Smallest, oldest or A first.' },
    DESC: { value: 'desc', description: 'Largest, newest or Z first.' },
  } as const,
})

interface OrderInput {
  field: string
  direction: 'asc' | 'desc'
}

/** Creates the `orderBy` input of a list. */
export function orderInput<F extends string>(name: string, fields: Record<F, string>) {
  const field = builder.enumType(`${name}OrderField`, {
    description: 'Fields that a list can be ordered by.',
    values: Object.fromEntries(
      Object.entries<string>(fields).map(([key, description]) => [
        key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
        { value: key, description },
      ]),
    ) as Record<string, { value: F; description: string }>,
  })
  return builder.inputType(`${name}Order`, {
    description: 'Order of a list. Defaults to the newest first.',
    fields: (t) => ({
      field: t.field({ type: field, required: true, description: 'Field to order by.' }),
      direction: t.field({ type: OrderDirection, required: true, description: 'Direction of the order.' }),
    }),
  })
}

/** Converts an order for the reader. Ties are broken by the id. */
export function listOrder(input: OrderInput | null | undefined): readonly Order[] {
  const { field, direction } = input ?? { field: 'createdAt', direction: 'desc' }
  return [{ [field]: direction }, { id: direction }]
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
  <F, T extends object>(
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

/** Drops null inputs: GraphQL clients send null for variables without a value. */
export function omitNulls<T extends object>(input: T | null | undefined): WithoutNulls<T> {
  return Object.fromEntries(Object.entries(input ?? {}).filter(([, value]) => value !== null)) as WithoutNulls<T>
}
