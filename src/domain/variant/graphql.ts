import type { VariantType as VariantTypes } from '../../platform/db/generated/client/enums.ts'
import {
  builder,
  connectionOf,
  enumValues,
  orderInput,
  pagesOf,
  reloaded,
  typeOf,
} from '../../platform/graphql/builder.ts'
import { needsColumns, planOf } from '../../platform/graphql/plan.ts'
import { deleteVariant, updateVariant } from './manage.ts'
import { allParameters } from './parameters/graphql.ts'
import { variantFilter } from './schema.ts'
import { countVariants, findVariants, getVariant } from './service.ts'
import { propsField, toRestProps } from './types/graphql.ts'

export const VariantTypeEnum = builder.enumType('VariantType', {
  description: 'Kind of a variant.',
  values: enumValues<VariantTypes>({
    transcode: 'The whole recording in another codec.',
    preview: 'A short clip.',
    levels: 'Loudness over time as numbers, for drawing a waveform.',
    waveform_image: 'A picture of the waveform.',
    waveform_video: 'A video of the waveform with the sound.',
    original: 'The uploaded bytes.',
    cover: 'The cover in four sizes.',
  }),
})

builder.prismaObject('Variant', {
  description: 'A recipe for a file that is made of an upload: of every one, or of a single track.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    organizationId: t.exposeID('organizationId', { description: 'The organization it belongs to.' }),
    trackId: t.exposeID('trackId', { nullable: true, description: 'Null for an organization-wide variant.' }),
    variantTypeId: t.expose('type', { type: VariantTypeEnum, description: 'Its kind.' }),
    index: t.exposeString('index', { description: 'Delivery name: 2-64 of letters, digits, _ and -.' }),
    props: t.field({
      ...propsField,
      ...needsColumns('type', 'props'),
      resolve: ({ type, props }) => toRestProps(type, props),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

const VariantFilter = builder.inputType('VariantFilter', {
  description: 'What narrows a list of variants; all of it must hold.',
  fields: (t) => ({
    type: t.field({ type: [VariantTypeEnum], description: 'Of any of these kinds.' }),
    search: t.string({ description: 'Stands in the index, whatever its case.' }),
    createdFrom: t.field({ type: 'DateTime', description: 'Created at or after.' }),
    createdUntil: t.field({ type: 'DateTime', description: 'Created before.' }),
  }),
})
const VariantOrder = orderInput('Variant', {
  createdAt: 'When it was created.',
  updatedAt: 'When it was last changed.',
  index: 'Delivery name.',
})

builder.queryFields((t) => ({
  variants: t.connection(
    {
      type: typeOf('Variant'),
      description: 'Organization-wide variants.',
      args: {
        filter: t.arg({ type: VariantFilter, description: 'What narrows the list.' }),
        orderBy: t.arg({ type: VariantOrder, description: 'The newest first unless told.' }),
      },
      resolve: pagesOf(variantFilter, findVariants, countVariants),
    },
    ...connectionOf('Variant'),
  ),
  variant: t.field({
    type: typeOf('Variant'),
    nullable: true,
    description: 'One organization-wide variant.',
    args: { id: t.arg.id({ required: true, description: 'UUID of the variant.' }) },
    resolve: (_, { id }, ctx, info) => getVariant(ctx, id, { plan: planOf(info, ctx) }),
  }),
}))

const UpdateVariantInput = builder.inputType('UpdateVariantInput', {
  description: 'Only the fields that are present are changed; null puts a parameter back to its default.',
  fields: (t) => ({
    index: t.string({ description: 'Delivery name: 2-64 of letters, digits, _ and -.' }),
    ...allParameters(t),
  }),
})
const UpdateVariantPayload = builder.objectRef<{ variant: { id: string } }>('UpdateVariantPayload').implement({
  description: 'Holds the variant.',
  fields: (t) => ({
    variant: t.field({ description: 'The variant as it is now.', ...reloaded('Variant', ({ variant }) => variant.id) }),
  }),
})
const DeleteVariantPayload = builder.objectRef<{ deletedVariant: { id: string } }>('DeleteVariantPayload').implement({
  description: 'Holds the variant that was deleted.',
  fields: (t) => ({
    deletedVariant: t.field({
      description: 'The variant as it was.',
      ...reloaded('Variant', ({ deletedVariant }) => deletedVariant.id),
    }),
  }),
})

const id = { required: true, description: 'UUID of the variant.' } as const
builder.mutationFields((t) => ({
  updateVariant: t.field({
    type: UpdateVariantPayload,
    description:
      'Changes an organization-wide variant; its kind stays. Files that exist stay as they are and where they are, and ' +
      'are stale until `applyVariant` makes them anew. Until then no other variant takes the index that they had. ' +
      'Administrators only.',
    args: {
      id: t.arg.id(id),
      input: t.arg({ type: UpdateVariantInput, required: true, description: 'What is changed.' }),
    },
    resolve: async (_, { id, input }, ctx) => ({ variant: await updateVariant(ctx, id, input) }),
  }),
  deleteVariant: t.field({
    type: DeleteVariantPayload,
    description:
      'Deletes an organization-wide variant. Its files are neither shown nor delivered from now on, its share keys open ' +
      'nothing, and its index is free. Administrators only.',
    args: { id: t.arg.id(id) },
    resolve: async (_, { id }, ctx) => ({ deletedVariant: await deleteVariant(ctx, id) }),
  }),
}))
