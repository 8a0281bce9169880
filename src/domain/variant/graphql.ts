import type { VariantType } from '../../platform/db/generated/client/enums.ts'
import { builder, defineEnum } from '../../platform/graphql/builder.ts'
import { idArgument, inputArgument, parseCreation } from '../../platform/graphql/input.ts'
import { defineList, defineRecordQuery } from '../../platform/graphql/list.ts'
import { Node } from '../../platform/graphql/node.ts'
import { definePayload } from '../../platform/graphql/payload.ts'
import { needsColumns } from '../../platform/graphql/plan.ts'
import { expose } from '../../platform/graphql/record.ts'
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

export const VariantTypeEnum = defineEnum<VariantType>(
  'VariantType',
  'Type of a variant.',
  Object.fromEntries(variantTypes.map(({ id, description }) => [id, description])) as Record<VariantType, string>,
)

builder.prismaObject('Variant', {
  interfaces: [Node],
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

defineRecordQuery('variant', 'Variant', {
  description: 'Returns an organization-wide variant.',
  permit: readScope,
  find: getVariant,
})
defineList({
  model: 'Variant',
  records: 'variants',
  filters: variantFilters,
  filter: variantFilter,
  moreFilters: (t) => ({ type: t.field({ type: [VariantTypeEnum], description: 'Any of these types.' }) }),
  orderBy: { createdAt: 'Time of creation.', updatedAt: 'Time of the last change.', index: 'Delivery name.' },
}).query({
  description: 'Lists the organization-wide variants.',
  permit: readScope,
  find: findVariants,
  count: countVariants,
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
builder.mutationFields((t) => ({
  updateVariant: t.field({
    type: definePayload('UpdateVariant', 'variant', 'Variant', { description: 'The variant that was changed.' }),
    description:
      'Changes an organization-wide variant. Existing files keep their content and their URL, and are stale until ' +
      '`applyVariant` rebuilds them. Until then their index is reserved. Administrators only.',
    args: { id: idArgument('variant'), input: inputArgument(UpdateVariantInput) },
    resolve: permitted(administratorScope, (_, { id, input: { index, ...parameters } }, ctx) =>
      updateVariant(ctx, parseId('variantId', id), { ...parseCreation(updateVariantInput, { index }), parameters }),
    ),
  }),
  deleteVariant: t.field({
    type: definePayload('DeleteVariant', 'deletedVariant', 'Variant'),
    description:
      'Deletes an organization-wide variant. Its files are no longer shown or delivered, its share keys stop ' +
      'working, and its index becomes free. Administrators only.',
    args: { id: idArgument('variant') },
    resolve: permitted(administratorScope, (_, { id }, ctx) => deleteVariant(ctx, parseId('variantId', id))),
  }),
}))
