import type { VariantType } from '../../platform/db/generated/client/enums.ts'
import {
  builder,
  connectionOf,
  enumValues,
  orderInput,
  pagesOf,
  parseCreation,
  reloaded,
  typeOf,
} from '../../platform/graphql/builder.ts'
import { needsColumns, planOf } from '../../platform/graphql/plan.ts'
import { expose, filterFields } from '../../platform/graphql/record.ts'
import { createdAt, updatedAt } from '../../platform/schema/fields.ts'
import { parseId } from '../../platform/schema/parse.ts'
import { administratorScope, permitted, readScope } from '../access/viewer.ts'
import { deleteVariant, updateVariant } from './manage.ts'
import {
  trackIdField,
  updateVariantInput,
  variantDescription,
  variantFields,
  variantFilter,
  variantFilters,
  variantTypeShape,
} from './record.ts'
import { countVariants, findVariants, getVariant } from './service.ts'
import { allParameters, propsField, toRestProps } from './types/graphql.ts'
import { variantTypes } from './types/index.ts'

export const VariantTypeEnum = builder.enumType('VariantType', {
  description: 'Type of a variant.',
  values: enumValues<VariantType>(
    Object.fromEntries(variantTypes.map(({ id, description }) => [id, description])) as Record<VariantType, string>,
  ),
})

builder.prismaObject('Variant', {
  description: variantDescription,
  fields: (t) => ({
    ...expose(t, { ...variantFields, trackId: trackIdField, createdAt, updatedAt }),
    variantTypeId: t.expose('type', { type: VariantTypeEnum, description: variantTypeShape.description }),
    props: t.field({
      ...propsField,
      ...needsColumns('type', 'props'),
      resolve: ({ type, props }) => toRestProps(type, props),
    }),
  }),
})

const VariantFilter = builder.inputType('VariantFilter', {
  description: 'Conditions on variants. All given conditions must hold.',
  fields: (t) => ({
    type: t.field({ type: [VariantTypeEnum], description: 'Any of these types.' }),
    ...filterFields(t, variantFilters),
  }),
})
const VariantOrder = orderInput('Variant', {
  createdAt: 'Time of creation.',
  updatedAt: 'Time of the last change.',
  index: 'Delivery name.',
})

const UpdateVariantInput = builder.inputType('UpdateVariantInput', {
  description:
    'Fields to change. Fields that are left out keep their value. Null resets a parameter to its default. Parameters ' +
    'of other types are rejected.',
  fields: (t) => ({
    index: t.string({ description: variantFields.index.description }),
    ...allParameters(t),
  }),
})
const UpdateVariantPayload = builder.objectRef<{ variant: { id: string } }>('UpdateVariantPayload').implement({
  description: 'The variant that was changed.',
  fields: (t) => ({
    variant: t.field({
      description: 'The variant after the change.',
      ...reloaded('Variant', ({ variant }) => variant.id),
    }),
  }),
})
const DeleteVariantPayload = builder.objectRef<{ deletedVariant: { id: string } }>('DeleteVariantPayload').implement({
  description: 'The variant that was deleted.',
  fields: (t) => ({
    deletedVariant: t.field({
      description: 'The variant before its deletion.',
      ...reloaded('Variant', ({ deletedVariant }) => deletedVariant.id),
    }),
  }),
})

const idArgument = { required: true, description: 'ID of the variant.' } as const
const idOf = (id: unknown) => parseId('variantId', id)

builder.queryFields((t) => ({
  variants: t.connection(
    {
      type: typeOf('Variant'),
      description: 'Lists the organization-wide variants.',
      args: {
        filter: t.arg({ type: VariantFilter, description: 'Conditions on the variants.' }),
        orderBy: t.arg({ type: VariantOrder, description: 'Defaults to the newest first.' }),
      },
      resolve: permitted(readScope, pagesOf(variantFilter, findVariants, countVariants)),
    },
    ...connectionOf('Variant'),
  ),
  variant: t.field({
    type: typeOf('Variant'),
    nullable: true,
    description: 'Returns an organization-wide variant.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(readScope, (_, { id }, ctx, info) => getVariant(ctx, idOf(id), { plan: planOf(info, ctx) })),
  }),
}))

builder.mutationFields((t) => ({
  updateVariant: t.field({
    type: UpdateVariantPayload,
    description:
      'Changes an organization-wide variant. Existing files keep their content and their URL, and are stale until ' +
      '`applyVariant` rebuilds them. Until then their index is reserved. Administrators only.',
    args: {
      id: t.arg.id(idArgument),
      input: t.arg({ type: UpdateVariantInput, required: true, description: 'The fields to change.' }),
    },
    resolve: permitted(administratorScope, async (_, { id, input: { index, ...parameters } }, ctx) => ({
      variant: await updateVariant(ctx, idOf(id), { ...parseCreation(updateVariantInput, { index }), parameters }),
    })),
  }),
  deleteVariant: t.field({
    type: DeleteVariantPayload,
    description:
      'Deletes an organization-wide variant. Its files are no longer shown or delivered, its share keys stop ' +
      'working, and its index becomes free. Administrators only.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(administratorScope, async (_, { id }, ctx) => ({
      deletedVariant: await deleteVariant(ctx, idOf(id)),
    })),
  }),
}))
