import { z } from 'zod'
import type { Collection } from '../../platform/db/generated/client/client.ts'
import * as shape from '../../platform/schema/shape.ts'
import { legibleColors } from '../organization/colors.ts'
import { themeShape } from '../organization/public.ts'

/** Contract, section 3, Collection. */
export const collectionShape = z
  .object({
    id: shape.id(),
    organizationId: shape.id('The organization that it belongs to.'),
    creatorId: shape.id('The creator that it belongs to, if one.').nullable(),
    title: shape.text('Shown to listeners.', 'An album'),
    organizationIndex: shape.text('Your own identifier.', 'album-9').nullable(),
    metadata: shape.metadata(),
    theme: themeShape,
    isCoverOverridable: shape.flag('Whether tracks may bring covers of their own.'),
    isThemeOverridable: shape.flag('Whether tracks may bring colours of their own.'),
    playerColor: shape.color("What players are drawn in; null inherits the organization's.").nullable(),
    ...shape.legibleColors,
    playerSubtitle: shape.text('Shown below the title.', 'A band').nullable(),
    createdAt: shape.time('When it was created.'),
    updatedAt: shape.time('When it was last changed.'),
  })
  .meta({ id: 'Collection', description: 'An album, a show, a course: what tracks are uploaded into.' })

/** A collection as /v1 shows it. */
export const toRestCollection = (collection: Collection): z.input<typeof collectionShape> => ({
  id: collection.id,
  organizationId: collection.organizationId,
  creatorId: collection.creatorId,
  title: collection.title,
  organizationIndex: collection.organizationIndex,
  metadata: collection.metadata,
  theme: collection.theme,
  isCoverOverridable: collection.isCoverOverridable,
  isThemeOverridable: collection.isThemeOverridable,
  playerColor: collection.playerColor,
  ...legibleColors(collection.playerColor),
  playerSubtitle: collection.playerSubtitle,
  createdAt: collection.createdAt,
  updatedAt: collection.updatedAt,
})
