import { z } from 'zod'
import { TrackStatus } from '../../platform/db/generated/client/enums.ts'
import { color, createdAt, id, integer, number, text, time, updatedAt, url } from '../../platform/schema/fields.ts'
import { createdFilters, createShape, filter, filterShape, updateShape } from '../../platform/schema/record.ts'
import {
  metadataRule,
  orDefault,
  organizationIndexRule,
  pageRules,
  requiredTextRule,
  uuidRule,
} from '../../platform/schema/rules.ts'
import { collectionColumns } from '../collection/record.ts'
import { SEARCH_RULES } from '../collection/search.ts'
import { legibleColorFields, theme } from '../organization/record.ts'
import { catalogFields } from './catalog/record.ts'
import { chaptersInput } from './chapter/record.ts'
import { episodeFields } from './episode/record.ts'
import { recordingFields } from './recording/record.ts'

const BASE_PATH = '0199c3f0/0199c3f1/Ab3dE5gH1j'

const inputs = ['create', 'update'] as const
const { organizationId, creatorId, organizationIndex: ownIndex, metadata, playerSubtitle } = collectionColumns

export const ORDER =
  'Position in the collection, starting at 0. Lists of a collection are in this order. It has gaps after deletions, and a ' +
  'track that was moved past more than 200 others may have the position of its neighbour.'

/** Returns the position of a stored order, which has a fraction after a far move. */
export const toPosition = ({ order }: { order: number }): number => Math.max(0, Math.floor(order))

/** Longest transcription, in characters (contract, section 3). */
export const MAX_TRANSCRIPTION = 1 << 19

/** Fields of a track that are stored as they are shown, except `order`. */
export const trackColumns = {
  id: id({ description: 'ID of the track. UUID.' }),
  organizationId,
  collectionId: id({ description: 'ID of the collection that it belongs to.' }),
  creatorId,
  index: text({ description: 'Short URL-safe identifier, unique in the organization.', example: 'Ab3dE5gH1j' }),
  order: integer({ description: ORDER, example: 0 }),
  statusCode: text({
    description: 'Machine-readable reason for a failed track, or for one that is ready without files.',
    example: 'not_audio',
    nullable: true,
    nullMeans: 'Null without such a reason.',
  }),
  statusText: text({
    description: 'The reason as a sentence.',
    example: 'The file contains no audio.',
    nullable: true,
    nullMeans: 'Null without one.',
  }),
  fileName: text({
    description: 'File name in characters that are safe in headers and file systems.',
    example: 'song.wav',
  }),
  fileNameOriginal: text({
    description: 'File name as the client sent it.',
    example: 'Song.wav',
    nullable: true,
    nullMeans: 'Null when unknown.',
  }),
  ...recordingFields,
  organizationIndex: ownIndex,
  metadata,
  playerTitle: text({
    description: 'Title, shown to listeners.',
    max: 1024,
    example: 'A song',
    nullable: true,
    inputs,
  }),
  playerSubtitle,
  playerColor: color({
    description: 'Color of players.',
    nullable: true,
    nullMeans: "Null inherits the collection's.",
    inputs,
  }),
  theme: { ...theme, inputs: ['update'] as const },
  transcription: text({
    description:
      'Transcription of the recording: plain text, WebVTT or SubRip. With times, the listener page marks what is said, and feeds offer it as WebVTT and SubRip.',
    max: MAX_TRANSCRIPTION,
    example: 'La la la',
    nullable: true,
    inputs: ['update'],
  }),
  transcriptionLanguage: text({
    description: 'Language of the transcription as a BCP 47 tag.',
    max: 35,
    example: 'en',
    nullable: true,
    inputs: ['update'],
  }),
  basePath: text({ description: 'Path of its files, without variant index and extension.', example: BASE_PATH }),
  filesCompletedAt: time({
    description: 'Time at which processing finished.',
    nullable: true,
    nullMeans: 'Null until processed.',
  }),
  createdAt,
  updatedAt,
}

/** Fields of a track that only GraphQL shows. */
export const trackDashboardFields = {
  uploadSessionId: id({
    description: 'ID of the upload session that it was created in.',
    nullable: true,
    nullMeans: 'Null outside a session.',
  }),
  sourceSha256: text({
    description: 'SHA-256 of the uploaded recording. Lower-case hexadecimal.',
    nullable: true,
    nullMeans: 'Null until known.',
  }),
  transcribedAt: time({
    description: 'Time at which its transcription was made by the recognition of speech.',
    nullable: true,
    nullMeans: 'Null without a transcription, and for one that a client has set.',
  }),
  uploadCompletedAt: time({
    description: 'Time at which the upload of the recording finished.',
    nullable: true,
    nullMeans: 'Null until uploaded.',
  }),
}

/** State of a track (contract, section 4). */
export const trackStatusShape = z
  .enum(TrackStatus)
  .meta({ description: 'State of the upload and the processing.', examples: ['ready'] })

/** Contract, section 3, Track, without the state; `status_code`, `status_text` and `analysis` are additions. */
export const trackFields = {
  ...trackColumns,
  ...legibleColorFields,
  duration: number({
    description: 'Duration in seconds.',
    example: 183.25,
    nullable: true,
    nullMeans: 'Null until probed.',
  }),
  baseUrl: url({
    description: 'Base of the delivery addresses. Those of files continue with `_{variant index}.{ext}`.',
    example: `https://cdn.example.com/${BASE_PATH}`,
  }),
}

const fileName = requiredTextRule(1024).meta({ description: 'Original filename.', examples: ['Song.wav'] })

/** A new track of an upload session. Null means absent in every optional field (contract, section 3). */
export const newTrackInput = z
  .object({
    fileName,
    fileSize: z
      .number()
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .meta({
        description:
          'Bytes of the recording. An upload of another size is refused, or ends the track if it was sent to a bucket.',
        examples: [31_752_044],
      })
      .nullish(),
    ...createShape(trackFields),
    metadata: orDefault(metadataRule, {}),
  })
  .meta({ id: 'CreateUploadTrack' })

const MAX_SOURCE_URL = 8192

export const createTrackInput = newTrackInput
  .extend({
    fileName: fileName
      .meta({
        description: 'Original filename. With `source_url`, defaults to the name that the address or its server gives.',
        examples: ['Song.wav'],
      })
      .nullish(),
    collectionId: uuidRule
      .describe('ID of the collection that it belongs to. A key that is scoped to a collection implies it.')
      .nullish(),
    creatorId: uuidRule.describe("ID of the creator that it belongs to. Defaults to the collection's.").nullish(),
    sourceUrl: requiredTextRule(MAX_SOURCE_URL)
      .meta({
        description: 'Address that the service downloads the recording from, instead of an upload.',
        examples: ['https://files.example.com/song.wav'],
      })
      .nullish(),
  })
  .refine(({ fileName, sourceUrl }) => typeof fileName === 'string' || sourceUrl, {
    path: ['fileName'],
    error: 'is required',
  })
  .meta({ id: 'CreateTrack' })

export const updateTrackInput = z.object(updateShape(trackFields)).meta({ id: 'UpdateTrack' })

/** Two names of one column. An input may have one of them. */
const forbidBoth = (name: string, other: string): [(input: Record<string, unknown>) => boolean, object] => [
  (input) => input[name] === undefined || input[other] === undefined,
  { path: [name], error: `must not be set together with ${other}` },
]

/** The same for GraphQL, which also has chapters, the fields of episodes and those that tags fill. */
export const updateEpisodeInput = updateTrackInput
  .extend({ chapters: chaptersInput.nullish(), ...updateShape(episodeFields), ...updateShape(catalogFields) })
  .refine(...forbidBoth('title', 'playerTitle'))
  .refine(...forbidBoth('artist', 'playerSubtitle'))
export type UpdateTrack = z.output<typeof updateEpisodeInput>

/** Sizes of one filter. */
const MAX_SIZES = 100

export const trackFilters = {
  organizationIndex: filter('String', organizationIndexRule, 'Exact match of the identifier.'),
  collectionId: filter('ID', uuidRule, 'ID of the collection that they belong to.'),
  creatorId: filter('ID', uuidRule, 'ID of the creator that they belong to.'),
  status: filter(null, z.array(z.enum(TrackStatus)).max(7), 'Any of these states.'),
  sourceBytes: filter(
    null,
    z.array(z.number().int().min(0)).max(MAX_SIZES),
    `Any of these sizes of the recording in bytes. At most ${MAX_SIZES}. With \`sourceSha256\` of the tracks, a client ` +
      'finds out whether a recording is in the organization before it is uploaded again.',
  ),
  hasStaleFiles: filter(
    'Boolean',
    z.boolean(),
    'Whether they have files that differ from what their variants would generate now (`isStale`).',
  ),
  madeByFfmpegOtherThan: filter(
    'String',
    requiredTextRule(64),
    'Tracks with finished files of another version of ffmpeg (`ffmpegVersion`), or of an unknown one.',
  ),
  search: filter(
    'String',
    requiredTextRule(200),
    `Tracks whose title, artist, album, ISRC, file name and organizationIndex ${SEARCH_RULES}`,
  ),
  transcript: filter(
    'String',
    requiredTextRule(200),
    'Tracks whose transcription, or one of its translations, has each of these words, in any order. Ignores case and accents, ' +
      'and the endings of words in the language of the text. From three letters on, a word is also found by its beginning. 1 to ' +
      '200 characters. A text of more than 16,384 characters is found up to two minutes after it was set.',
  ),
  ...createdFilters,
}
export const trackFilter = z.object(filterShape(trackFilters))
export type TrackFilter = z.output<typeof trackFilter>
export const listTracksInput = pageRules.extend(trackFilter.pick({ organizationIndex: true, creatorId: true }).shape)
export type ListTracks = z.output<typeof listTracksInput>

export const trackId = z.object({ trackId: uuidRule.describe('ID of the track.') })
