import type { InputShapeFromFields } from '@pothos/core'
import {
  builder,
  connectionOf,
  listOrder,
  omitNulls,
  orderInput,
  pagesOf,
  typeOf,
} from '../../platform/graphql/builder.ts'
import { related, relatedPage } from '../../platform/graphql/page.ts'
import { needs, planOf, readWith } from '../../platform/graphql/plan.ts'
import { readScope, visible } from '../access/viewer.ts'
import { creatorWhere } from '../creator/service.ts'
import { coverImages, toRestCover } from '../organization/cover/graphql.ts'
import {
  effectiveThemeField,
  playerColorDarkField,
  playerColorLightField,
  themeField,
} from '../organization/graphql.ts'
import { type CoverHolder, inheritedCover, inheritedPlayerColor, type ThemeHolder } from '../organization/inherit.ts'
import { collectionFilter } from './schema.ts'
import { countCollections, findCollections, getCollection, matchingCollections } from './service.ts'

builder.prismaObject('Collection', {
  description: 'An album, a show, a course: what tracks are uploaded into.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    organizationId: t.exposeID('organizationId', { description: 'The organization it belongs to.' }),
    creatorId: t.exposeID('creatorId', { nullable: true, description: 'The creator it belongs to, if one.' }),
    creator: t.field({
      type: typeOf('Creator'),
      nullable: true,
      description: 'The creator it belongs to; null too where the viewer may not see it.',
      ...related('creator', (ctx) => ({ where: visible(ctx, creatorWhere) })),
    }),
    title: t.exposeString('title', { description: 'Shown to listeners.' }),
    organizationIndex: t.exposeString('organizationIndex', {
      nullable: true,
      description: "The client's own identifier.",
    }),
    metadata: t.expose('metadata', { type: 'JSON', description: "The client's own JSON object." }),
    coverImage: t.field({
      type: coverImages,
      nullable: true,
      description:
        "Its own cover or the organization's, as `isCoverOverridable` of that says; null where there is neither.",
      ...needs({
        columns: ['organizationId', 'cover', 'isCoverOverridable'],
        also: { $coverAbove: { relation: 'organization', columns: ['cover', 'isCoverOverridable'] } },
      }),
      resolve: (row) => {
        const organization = readWith<CoverHolder>(row, '$coverAbove')
        return toRestCover(row.organizationId, inheritedCover({ organization, collection: row }))
      },
    }),
    theme: t.field(themeField),
    effectiveTheme: t.field({
      ...effectiveThemeField((collection: ThemeHolder) => ({
        organization: readWith<ThemeHolder>(collection, '$themeAbove'),
        collection,
      })),
      ...needs({
        columns: ['theme', 'isThemeOverridable'],
        also: { $themeAbove: { relation: 'organization', columns: ['theme', 'isThemeOverridable'] } },
      }),
    }),
    isCoverOverridable: t.exposeBoolean('isCoverOverridable', {
      description: 'Whether tracks may bring covers of their own.',
    }),
    isThemeOverridable: t.exposeBoolean('isThemeOverridable', {
      description: 'Whether tracks may bring colours of their own.',
    }),
    playerColor: t.exposeString('playerColor', { nullable: true, description: "Null inherits the organization's." }),
    effectivePlayerColor: t.string({
      description: "Its own player colour, else the organization's.",
      ...needs({
        columns: ['playerColor'],
        also: { $colorAbove: { relation: 'organization', columns: ['playerColor'] } },
      }),
      resolve: (row) => inheritedPlayerColor(readWith<{ playerColor: string }>(row, '$colorAbove'), row),
    }),
    playerColorLight: t.string(playerColorLightField),
    playerColorDark: t.string(playerColorDarkField),
    playerSubtitle: t.exposeString('playerSubtitle', { nullable: true, description: 'Shown below the title.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

const CollectionFilter = builder.inputType('CollectionFilter', {
  description: 'What narrows a list of collections; all of it must hold.',
  fields: (t) => ({
    organizationIndex: t.string({ description: 'Exactly this.' }),
    creatorId: t.id({ description: 'Of this creator.' }),
    search: t.string({ description: 'Stands in the title or the organizationIndex, whatever its case.' }),
    createdFrom: t.field({ type: 'DateTime', description: 'Created at or after.' }),
    createdUntil: t.field({ type: 'DateTime', description: 'Created before.' }),
  }),
})
const CollectionOrder = orderInput('Collection', {
  createdAt: 'When it was created.',
  updatedAt: 'When it was last changed.',
  title: 'Its title.',
})
const listArgs = builder.args((t) => ({
  filter: t.field({ type: CollectionFilter, description: 'What narrows the list.' }),
  orderBy: t.field({ type: CollectionOrder, description: 'The newest first unless told.' }),
}))

const id = { required: true, description: 'UUID of the collection.' } as const
const relatedCollections = relatedPage(
  'collections',
  ({ filter, orderBy }: InputShapeFromFields<typeof listArgs>, ctx) => ({
    where: matchingCollections(readScope(ctx), omitNulls(filter)),
    order: listOrder(orderBy),
  }),
)

builder.queryFields((t) => ({
  collections: t.connection(
    {
      type: typeOf('Collection'),
      description: 'Collections of the organization.',
      args: listArgs,
      resolve: pagesOf(collectionFilter, findCollections, countCollections),
    },
    ...connectionOf('Collection'),
  ),
  collection: t.field({
    type: typeOf('Collection'),
    nullable: true,
    description: 'One collection.',
    args: { id: t.arg.id(id) },
    resolve: (_, { id }, ctx, info) => getCollection(ctx, id, { plan: planOf(info, ctx) }),
  }),
}))
builder.prismaObjectField('Organization', 'collections', (t) =>
  t.connection(
    { type: typeOf('Collection'), description: 'Its collections.', args: listArgs, ...relatedCollections },
    ...connectionOf('Collection'),
  ),
)
builder.prismaObjectField('Creator', 'collections', (t) =>
  t.connection(
    { type: typeOf('Collection'), description: 'Its collections.', args: listArgs, ...relatedCollections },
    ...connectionOf('Collection'),
  ),
)
