import { builder, checkPage, connection } from '../../platform/builder.ts'
import { VariantType as VariantTypes } from '../../platform/db/generated/client/enums.ts'
import { countVariants, findVariants, getVariant } from './service.ts'

export const VariantTypeEnum = builder.enumType('VariantType', {
  description: 'Kind of a variant.',
  values: Object.fromEntries(Object.values(VariantTypes).map((id) => [id.toUpperCase(), { value: id }])) as Record<
    string,
    { value: VariantTypes }
  >,
})

export const VariantObject = builder.prismaObject('Variant', {
  description: 'A recipe for a file that is made of an upload: of every one, or of a single track.',
  fields: (t) => ({
    id: t.exposeID('id'),
    organizationId: t.exposeID('organizationId'),
    trackId: t.exposeID('trackId', { nullable: true, description: 'Null for an organization-wide variant.' }),
    variantTypeId: t.expose('type', { type: VariantTypeEnum }),
    index: t.exposeString('index', { description: 'Delivery name.' }),
    props: t.expose('props', { type: 'JSON', description: 'Parameters with every default filled in.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
})

builder.queryFields((t) => ({
  variants: t.prismaConnection({
    type: 'Variant',
    ...connection,
    description: 'Organization-wide variants, newest first.',
    totalCount: (_, __, ctx) => countVariants(ctx),
    resolve: (query, _, page, ctx) => {
      checkPage(page)
      return findVariants(ctx, query)
    },
  }),
  variant: t.prismaField({
    type: 'Variant',
    description: 'One organization-wide variant.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _, { id }, ctx) => getVariant(ctx, id, query),
  }),
}))
