import type { InputFieldRef, InterfaceRef, ObjectRef } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import type { Order, Plan, Sums, Where } from '../db/query/plan.ts'
import { parse, parseId } from '../schema/parse.ts'
import type { Filters } from '../schema/record.ts'
import { type BuilderTypes, builder, findType, type ModelRow, OrderDirection } from './builder.ts'
import { idArgument, omitNulls } from './input.ts'
import { defineNode } from './node.ts'
import { type PageArgs, type PageQuery, relatedPage, rootPage } from './page.ts'
import { createPlan } from './plan.ts'
import { type Price, withPrice } from './price.ts'
import { filterFields } from './record.ts'

const connections = new Map<string, ReturnType<typeof defineConnection>>()

/** The connection and edge types of a model, as arguments of `t.connection`. */
export function findConnection<M extends Prisma.ModelName>(model: M, name: string = model) {
  const types = connections.get(name) ?? defineConnection(name, findType(model))
  connections.set(name, types)
  return types as unknown as ReturnType<typeof defineConnection<ModelRow<M>>>
}

/** Defines the connection and edge types of a list, as arguments of `t.connection`. */
export function defineConnection<T extends object>(
  name: string,
  type: ObjectRef<BuilderTypes, T> | InterfaceRef<BuilderTypes, T>,
  record = 'A record',
) {
  const edge = builder.edgeObject({ name: `${name}Edge`, description: `${record} and its cursor.`, type })
  const description = 'A page of a list (Relay cursor connections).'
  const connection = builder.connectionObject({ name: `${name}Connection`, description, type }, edge)
  return [connection, edge] as const
}

interface OrderInput {
  field: string
  direction: 'asc' | 'desc'
}

/** Fields that a list can be ordered by: a description, or also the field of the model if it has another name. */
export type OrderFields = Record<string, string | { field: string; description: string }>

/** Creates the `orderBy` input of a list. */
export function orderInput(name: string, fields: OrderFields) {
  const field = builder.enumType(`${name}OrderField`, {
    description: 'Fields that a list can be ordered by.',
    values: Object.fromEntries(
      Object.entries(fields).map(([key, order]) => [
        key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
        typeof order === 'string'
          ? { value: key, description: order }
          : { value: order.field, description: order.description },
      ]),
    ),
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
export const definePages =
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

/** The `resolve` of a root connection without arguments of its own. */
export const pagesInOrder =
  <T extends object>(
    order: readonly Order[],
    find: (ctx: Context, query: PageQuery) => Promise<readonly T[]>,
    count: (ctx: Context) => Promise<number>,
  ) =>
  (_: unknown, args: PageArgs, ctx: Context, info: GraphQLResolveInfo) =>
    rootPage({ info, ctx, args, order, list: (query) => find(ctx, query), count: () => count(ctx) })

interface ListOptions<M extends Prisma.ModelName, F> {
  model: M
  /** The records in texts, such as `tracks`; also the relation of a parent to them. */
  records: string
  /** Name of the GraphQL type. Defaults to the model. */
  type?: string
  /** Conditions of the filter, and the schema that validates it. */
  filters: Filters
  filter: z.ZodType<F>
  /** Conditions that `filters` does not declare for GraphQL. */
  moreFilters?: (
    t: PothosSchemaTypes.InputFieldBuilder<BuilderTypes, 'InputObject'>,
  ) => Record<string, InputFieldRef<BuilderTypes, unknown>>
  orderBy: OrderFields
}

interface RootList<T extends object, F> {
  description: string
  /** @throws AppError for a viewer who may not read the list */
  permit: (ctx: Context) => unknown
  find: (ctx: Context, filter: F, query: PageQuery) => Promise<readonly T[]>
  count: (ctx: Context, filter: F) => Promise<number>
  price?: Price
}

interface RelatedList<F> {
  description: string
  where: (ctx: Context, filter: F) => Where
  /** Maintained sums that add up to the number of records. */
  sums?: (ctx: Context, filter: F) => Sums | null
  price?: Price
}

/** Defines a list of records with its filter and its order: a field of Query, and fields of the records' parents. */
export function defineList<M extends Prisma.ModelName, F>(options: ListOptions<M, F>) {
  const { model, records, type: name = model, filters, filter: schema, moreFilters, orderBy } = options
  const filterInput = builder.inputType(`${name}Filter`, {
    description: `Conditions on ${records}. All given conditions must hold.`,
    fields: (t) => ({ ...filterFields(t, filters), ...moreFilters?.(t) }),
  })
  const order = orderInput(name, orderBy)
  const args = builder.args((t) => ({
    filter: t.field({ type: filterInput, description: `Conditions on the ${records}.` }),
    orderBy: t.field({ type: order, description: 'Defaults to the newest first.' }),
  }))
  const type = findType(model) as unknown as ObjectRef<BuilderTypes, object>
  const connection = findConnection(model, name) as unknown as ReturnType<typeof defineConnection<object>>

  return {
    /** Defines the field of Query. */
    query({ description, permit, find, count, price }: RootList<ModelRow<M>, F>, field = records) {
      const resolve = definePages(schema, find, count)
      builder.queryField(field, (t) =>
        t.connection(
          {
            type,
            description,
            args,
            ...(price && { extensions: { price } }),
            resolve: (parent, args, ctx, info) => {
              permit(ctx)
              return resolve(parent, args, ctx, info) as never
            },
          },
          ...connection,
        ),
      )
    },
    /** Defines the field of a parent. */
    relation(parent: Prisma.ModelName, { description, where, sums, price }: RelatedList<F>) {
      const page = relatedPage(records, ({ filter, orderBy }: ListArguments, ctx) => {
        const conditions = parseFilter(schema, filter)
        const added = sums?.(ctx, conditions)
        return { where: where(ctx, conditions), order: listOrder(orderBy), ...(added && { sums: added }) }
      })
      builder.prismaObjectField(parent as 'Organization', records, (t) =>
        t.connection({ type, description, args, ...(price ? withPrice(page, price) : page) }, ...connection),
      )
    },
  }
}

interface RecordQuery<T extends object> {
  description: string
  /** Text of the argument. Defaults to "ID of the …." */
  idDescription?: string
  /** Name of the GraphQL type. Defaults to the model. */
  type?: string
  /** @throws AppError for a viewer who may not read the record */
  permit: (ctx: Context) => unknown
  find: (ctx: Context, id: string, args: { plan: Plan }) => Promise<T | null>
}

/** Defines the field of Query that returns one record by its ID. `node` returns it too. */
export const defineRecordQuery = <M extends Prisma.ModelName>(
  field: string,
  model: M,
  { description, idDescription, type = model, permit, find }: RecordQuery<ModelRow<M>>,
) => {
  defineNode(type, { model, permit, find })
  builder.queryField(field, (t) =>
    t.field({
      type: findType(model),
      nullable: true,
      description,
      args: { id: idArgument(field, idDescription) },
      resolve: (_, { id }, ctx, info) => {
        permit(ctx)
        return find(ctx, parseId(`${field}Id`, id), { plan: createPlan(info, ctx) }) as never
      },
    }),
  )
}
