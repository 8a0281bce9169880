import { z } from 'zod'
import { color, flag, id, integer, json, metadata, text, time, url } from '../../../platform/schema/fields.ts'
import { restShape } from '../../../platform/schema/record.ts'
import {
  metadataRule,
  optionalIndexRule,
  orDefault,
  pageRules,
  requiredTextRule,
  uuidRule,
  wholeNumberRule,
} from '../../../platform/schema/rules.ts'
import { coverShape } from '../../organization/cover/public.ts'
import { fileShape, levelsShape } from '../../track/file/record.ts'
import { trackShape } from '../../track/public.ts'
import { trackId } from '../../track/record.ts'
import { unlistedFields } from '../../track/service.ts'
import { variantFields, variantIndex } from '../../variant/record.ts'

/** Contract, section 3, Play sessions. */
export const playSessionFields = {
  id: id({ description: 'ID of the session. A random UUID, and the credential of listeners.' }),
  creatorId: id({
    description: 'ID of the creator of the collection or track.',
    nullable: true,
    nullMeans: 'Null without a creator.',
  }),
  organizationIndex: text({ description: "The client's own identifier.", nullable: true, example: 'visit-88' }),
  metadata: metadata({ inputs: [] }),
  isDownloadable: flag({ description: 'Whether its files may be downloaded.' }),
  expiresAt: time({ description: 'End of the session.' }),
}

/** Fields that only GraphQL shows. */
export const playSessionSubjectFields = {
  collectionId: id({
    description: 'ID of the collection that it plays.',
    nullable: true,
    nullMeans: 'Null when it plays a track.',
  }),
  trackId: id({
    description: 'ID of the track that it plays.',
    nullable: true,
    nullMeans: 'Null when it plays a collection.',
  }),
  createdAt: time({ description: 'Time of creation.' }),
}

export const playSessionDescription = 'Lets listeners play one collection or one track. Its ID is the credential.'
export const variantsDescription = 'Indexes of the variants that it plays, in this order. Empty for all that play.'

export const playSessionShape = z
  .object({
    ...restShape(playSessionFields),
    variants: z.array(variantFields.index.restShape).meta({ description: variantsDescription }),
  })
  .meta({ id: 'PlaySession', description: playSessionDescription })

/** The colors of a player. */
export const playerColorFields = {
  playerColor: color({
    description: 'The player color of the track, else of the collection, else of the organization.',
  }),
  playerColorLight: color({ description: 'The player color, darkened to be legible on light backgrounds.' }),
  playerColorDark: color({ description: 'The player color, lightened to be legible on dark backgrounds.' }),
}

/** The effective player values of a track, which are never null (contract, section 3). */
export const effectiveFields = {
  playerTitle: text({
    description: 'The title of the track, else the title tag of the recording, else the file name.',
    example: 'A song',
  }),
  playerSubtitle: text({
    description: 'The subtitle of the track, else the artist tag, else the subtitle of the collection, else empty.',
    example: 'A band',
  }),
  ...playerColorFields,
}

export const playTrackShape = trackShape
  .extend(restShape(effectiveFields))
  .meta({ id: 'PlayTrack', description: 'A track with its effective player values.' })
export const listedPlayTrackShape = playTrackShape
  .omit(unlistedFields)
  .meta({ id: 'ListedPlayTrack', description: 'A track of a play session, without its transcription.' })

const STREAM_EXAMPLE = 'https://tonearm.example.com/v1/adaptive/0199c3f1-6b2d-7e90-a1b2-c3d4e5f60718/s1777887000.x'

const LISTENING_EXAMPLE =
  'https://tonearm.example.com/v1/listening/0199c3f1-6b2d-7e90-a1b2-c3d4e5f60718/1777887000.214500.x'

export const playbackDescription = 'The data that a player needs to play one track.'
export const playbackDescriptions = {
  trackId: 'ID of the track.',
  track: 'The track.',
  levels: 'Loudness over time, for drawing. Null until processed.',
  variants: 'Finished files that play, in the order of the session. By default whole recordings are first.',
  hlsUrl:
    'Address of the first adaptive stream among `variants` for HTTP Live Streaming. Valid as long as the session. Null without one.',
  dashUrl: 'The same stream for MPEG-DASH. Null without one.',
  listeningUrl:
    'Address at which the player reports what is heard of the recording (`followListening` of the client package). Valid for 24 ' +
    'hours. Null for players that are not in the sample of the operator (`LISTENING_SAMPLE`), and for sessions of previews.',
  coverImage: 'The cover of the track, else of the collection, else of the organization. Null without a cover.',
}

export const playbackShape = z.object({
  trackId: id({ description: playbackDescriptions.trackId }).restShape,
  track: playTrackShape,
  levels: json({ description: playbackDescriptions.levels, restShape: levelsShape.nullable() }).restShape,
  variants: z.array(fileShape).meta({ description: playbackDescriptions.variants }),
  hlsUrl: url({
    description: playbackDescriptions.hlsUrl,
    example: `${STREAM_EXAMPLE}/master.m3u8`,
  }).restShape.nullable(),
  dashUrl: url({
    description: playbackDescriptions.dashUrl,
    example: `${STREAM_EXAMPLE}/manifest.mpd`,
  }).restShape.nullable(),
  listeningUrl: url({
    description: playbackDescriptions.listeningUrl,
    example: LISTENING_EXAMPLE,
  }).restShape.nullable(),
  coverImage: coverShape.nullable().meta({ description: playbackDescriptions.coverImage }),
})

const firstTrackDescription = 'The first track that plays. Null when no track plays.'
export const playSessionAnswer = z.object({
  playSessionId: playSessionFields.id.restShape,
  playSession: playSessionShape,
  count: integer({ description: 'Number of tracks that play, at most 1,000.', example: 1 }).restShape,
  tracks: z.array(listedPlayTrackShape).meta({ description: 'The tracks that play, in the order of the collection.' }),
  firstTrack: playbackShape.meta({ id: 'FirstTrack', description: firstTrackDescription }).nullable(),
  ...restShape(playerColorFields),
  expiresAt: playSessionFields.expiresAt.restShape,
})

export const downloadDescription = 'A signed URL that makes a browser save a file.'
export const downloadDescriptions = { url: 'Signed URL, valid for an hour.', expiresAt: 'End of the signed URL.' }
export const downloadShape = z.object({
  variant: fileShape.shape.variant,
  url: url({
    description: downloadDescriptions.url,
    example: 'https://cdn.example.com/0199c3f0/song_hq.m4a?download=1&verify=1777887000-x',
  }).restShape,
  expiresAt: time({ description: downloadDescriptions.expiresAt }).restShape,
})

export const playScope = z.object({
  scope: z.enum(['collection', 'track']).describe('Whether the session plays a collection or a track.'),
})

/** The body of POST /v1/play_session/:scope (contract, section 3). */
export const createPlaySessionBody = z
  .object({
    collectionId: uuidRule.nullish().describe('ID of the collection to play. Defaults to the collection of the key.'),
    trackId: uuidRule.nullish().describe('ID of the track to play. Defaults to the track of the key.'),
    variants: orDefault(z.array(requiredTextRule(64).meta({ examples: ['hq'] })).max(50), []).describe(
      'Indexes or IDs of variants, in the order to play. At most 50. Defaults to all that play.',
    ),
    isDownloadable: orDefault(z.boolean(), false).describe('Whether its files may be downloaded. Defaults to false.'),
    organizationIndex: optionalIndexRule.describe("The client's own identifier. At most 255 characters."),
    metadata: orDefault(metadataRule, {}).describe(playSessionFields.metadata.description),
    expiresIn: orDefault(z.number().int().min(60).max(86_400), 3600).describe(
      'Lifetime in seconds. 60 to 86,400. Defaults to 3,600.',
    ),
  })
  .meta({ id: 'CreatePlaySession' })

/** Without a scope, a session plays the track that the key is limited to, else a collection. */
export const createPlaySessionInput = createPlaySessionBody.extend(playScope.partial().shape)
export type CreatePlaySession = z.output<typeof createPlaySessionInput>

export const playSessionId = z.object({ playSessionId: uuidRule.describe(playSessionFields.id.description) })

/** Path parameters of the play routes. */
export const playParams = playSessionId.extend({ ...trackId.shape, variantIndex })

const MAX_TRACKS = 200
/** Players do not page, so the default is the maximum. */
export const listPlayTracksInput = pageRules.extend({
  limit: wholeNumberRule(1, MAX_TRACKS, MAX_TRACKS).describe('Page size. 1 to 200. Defaults to 200.'),
})
/** The page of tracks in the answer to a creation. */
export const firstPage = { limit: MAX_TRACKS, offset: 0 }
