import type { FieldRef } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { Context } from '../context.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import type { ReadArgs } from '../db/query/reader.ts'
import { type BuilderTypes, builder, findType, type ModelRow } from './builder.ts'
import { createPlan } from './plan.ts'

/**
 * Options of a payload's field that shows the written record, loaded again with the selected fields.
 * @param idOf the record's id
 */
export const reloaded = <M extends Prisma.ModelName, P>(model: M, idOf: (payload: P) => string) => ({
  type: findType(model),
  resolve: async (payload: P, _: unknown, ctx: Context, info: GraphQLResolveInfo): Promise<ModelRow<M>> => {
    const args = { where: { id: idOf(payload) }, plan: createPlan(info, ctx) } as unknown as ReadArgs<M>
    return (await ctx.reader.readFirst(model, args, ctx.signal)) as ModelRow<M>
  },
})

interface PayloadOptions<P extends object> {
  /** Text of the payload. Defaults to that of a written record, or of a deleted one. */
  description?: string
  /** Text of the field with the record. */
  fieldDescription?: string
  /** Name of the record in the texts. Defaults to the model in lower case. */
  record?: string
  more?: (t: PothosSchemaTypes.ObjectFieldBuilder<BuilderTypes, P>) => Record<string, FieldRef<BuilderTypes, unknown>>
}

/**
 * Defines the payload of a mutation that returns the written record, or any object with its ID.
 * @param mutation its name in upper camel case
 * @param field shows the record: after the change, or before its deletion if the name begins with `deleted`
 */
export function definePayload<P extends { id: string }>(
  mutation: string,
  field: string,
  model: Prisma.ModelName,
  { record = model.toLowerCase(), more, ...texts }: PayloadOptions<P> = {},
) {
  const isDeleted = field.startsWith('deleted')
  const { description = `The ${record} that was ${isDeleted ? 'deleted' : 'written'}.` } = texts
  const { fieldDescription = `The ${record} ${isDeleted ? 'before its deletion' : 'after the change'}.` } = texts
  return builder.objectRef<P>(`${mutation}Payload`).implement({
    description,
    fields: (t) => ({
      [field]: t.field({ description: fieldDescription, ...reloaded(model, ({ id }: P) => id) }),
      ...more?.(t),
    }),
  })
}
