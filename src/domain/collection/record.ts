import { z } from 'zod'
import { color, createdAt, flag, id, metadata, text, updatedAt } from '../../platform/schema/fields.ts'
import {
  createdFilters,
  createShape,
  filter,
  filterShape,
  restShape,
  updateShape,
} from '../../platform/schema/record.ts'
import { organizationIndexRule, pageRules, requiredTextRule, uuidRule } from '../../platform/schema/rules.ts'
import { legibleColorFields, theme } from '../organization/record.ts'
import { podcastFields } from './podcast/record.ts'
import { SEARCH_RULES } from './search.ts'

const inputs = ['create', 'update'] as const

/** Fields of a collection that are stored as they are shown. */
export const collectionColumns = {
  id: id({ description: 'ID of the collection. UUID.' }),
  organizationId: id({ description: 'ID of the organization that it belongs to.' }),
  creatorId: id({
    description: 'ID of the creator that it belongs to.',
    nullable: true,
    nullMeans: 'Null when it belongs to none.',
  }),
  title: text({ description: 'Title, shown to listeners.', max: 1024, example: 'An album', required: true, inputs }),
  organizationIndex: text({
    description: "The client's own identifier. Not unique.",
    max: 255,
    example: 'album-9',
    nullable: true,
    inputs,
  }),
  metadata: metadata({ inputs }),
  theme,
  isCoverOverridable: flag({ description: 'Whether tracks may have a cover of their own.', inputs }),
  isThemeOverridable: flag({ description: 'Whether tracks may have a theme of their own.', inputs }),
  playerColor: color({
    description: 'Color of players.',
    nullable: true,
    nullMeans: "Null inherits the organization's.",
    inputs,
  }),
  playerSubtitle: text({
    description: 'Subtitle of players, shown below the title.',
    max: 1024,
    example: 'A band',
    nullable: true,
    inputs,
  }),
  createdAt,
  updatedAt,
}

/** Contract, section 3, Collection. */
export const collectionFields = { ...collectionColumns, ...legibleColorFields }

export const collectionShape = z
  .object(restShape(collectionFields))
  .meta({ id: 'Collection', description: 'A group of tracks, such as an album, a show or a course.' })

export const creatorIdDescription =
  'ID of the creator that it belongs to. A key that is scoped to a creator implies it.'

export const createCollectionInput = z
  .object({ ...createShape(collectionFields), creatorId: uuidRule.describe(creatorIdDescription).nullish() })
  .meta({ id: 'CreateCollection' })
/** The same for GraphQL, which also has the fields of podcasts. */
export const createCollectionWithPodcast = createCollectionInput.extend(createShape(podcastFields))
export type CreateCollection = z.output<typeof createCollectionWithPodcast>

export const updateCollectionInput = z.object(updateShape(collectionFields)).meta({ id: 'UpdateCollection' })
/** The same for GraphQL, which also has the fields of podcasts. */
export const updateCollectionWithPodcast = updateCollectionInput.extend(updateShape(podcastFields))
export type UpdateCollection = z.output<typeof updateCollectionWithPodcast>

export const collectionFilters = {
  organizationIndex: filter('String', organizationIndexRule, 'Exact match of the identifier.'),
  creatorId: filter('ID', uuidRule, 'ID of the creator that they belong to.'),
  search: filter(
    'String',
    requiredTextRule(200),
    `Collections whose title, playerSubtitle, author and organizationIndex ${SEARCH_RULES}`,
  ),
  ...createdFilters,
}
export const collectionFilter = z.object(filterShape(collectionFilters))
export type CollectionFilter = z.output<typeof collectionFilter>
export const listCollectionsInput = pageRules.extend(
  collectionFilter.pick({ organizationIndex: true, creatorId: true }).shape,
)

export const collectionId = z.object({ collectionId: uuidRule.describe('ID of the collection.') })
