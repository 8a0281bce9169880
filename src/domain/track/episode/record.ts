import { EpisodeType } from '../../../platform/db/generated/client/enums.ts'
import { choice, flag, integer, text, time } from '../../../platform/schema/fields.ts'
import { MAX_DESCRIPTION } from '../../collection/podcast/record.ts'

const inputs = ['update'] as const
const MAX_NUMBER = 100_000

/** Fields of a track for podcast feeds, which only GraphQL shows. */
export const episodeFields = {
  description: text({
    description: 'Description in podcast feeds.',
    max: MAX_DESCRIPTION,
    example: 'Recorded in one night.',
    nullable: true,
    nullMeans: 'Null shows `playerSubtitle`.',
    inputs,
  }),
  publishedAt: time({
    description: 'Time of publication in podcast feeds. A feed lists the track from this time on.',
    nullable: true,
    nullMeans:
      'Null shows the time of creation, adjusted so that the tracks of a feed are in the order of the collection.',
    inputs,
  }),
  season: integer({
    description: 'Number of its season in podcast feeds.',
    min: 1,
    max: MAX_NUMBER,
    example: 1,
    nullable: true,
    inputs,
  }),
  episode: integer({
    description: 'Number of the episode in podcast feeds.',
    min: 1,
    max: MAX_NUMBER,
    example: 4,
    nullable: true,
    nullMeans: 'Null shows its place among the episodes of type `FULL` in a feed of type `SERIAL`, else no number.',
    inputs,
  }),
  episodeType: choice('EpisodeType', EpisodeType, {
    description: 'What it is in podcast feeds. Defaults to `FULL`.',
    inputs,
  }),
  isExplicit: flag({
    description: 'Whether it contains explicit language or content.',
    nullable: true,
    nullMeans: "Null inherits the collection's.",
    inputs,
  }),
}
