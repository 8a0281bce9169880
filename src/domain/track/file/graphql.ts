import type { TrackFileState } from '../../../platform/db/generated/client/enums.ts'
import { builder, enumValues, typeOf } from '../../../platform/graphql/builder.ts'
import { related } from '../../../platform/graphql/page.ts'
import { needs, needsColumns } from '../../../platform/graphql/plan.ts'
import { mapKeys, toCamel } from '../../../platform/schema/case.ts'
import { coverImages } from '../../organization/cover/graphql.ts'
import { signedUrl, withDelivery } from '../../organization/delivery.ts'
import { propsField, toRestProps } from '../../variant/types/graphql.ts'
import { LevelsData, toRestLevels } from '../levels/graphql.ts'
import { isStale } from './stale.ts'

const TrackFileStateEnum = builder.enumType('TrackFileState', {
  description: 'Where a file is between plan and delivery.',
  values: enumValues<TrackFileState>({
    queued: 'Waits to be made.',
    processing: 'Is being made.',
    done: 'Can be delivered.',
    failed: 'Could not be made; statusText says why.',
  }),
})

interface PreviewShape {
  duration: number
  extension: string
  captureStart: number
  captureEnd: number
  contentType: string
}
export const PreviewData = builder.objectRef<PreviewShape>('PreviewData').implement({
  description: 'Which part of the recording a preview holds.',
  fields: (t) => ({
    duration: t.exposeFloat('duration', { description: 'Seconds.' }),
    captureStart: t.exposeFloat('captureStart', { description: 'Where it starts in the recording, in seconds.' }),
    captureEnd: t.exposeFloat('captureEnd', { description: 'Where it ends in the recording, in seconds.' }),
    extension: t.exposeString('extension', { description: 'Of its file name.' }),
    contentType: t.exposeString('contentType', { description: 'As it is delivered.' }),
  }),
})

interface ImageShape {
  width: number
  height: number
  numBars: number
  color: string
  backgroundColor: string | null
}
const WaveformImageData = builder.objectRef<ImageShape>('WaveformImageData').implement({
  description: 'A picture of the waveform.',
  fields: (t) => ({
    width: t.exposeInt('width', { description: 'Pixels.' }),
    height: t.exposeInt('height', { description: 'Pixels.' }),
    numBars: t.exposeInt('numBars', { description: 'How many bars it has.' }),
    color: t.exposeString('color', { description: 'Of the bars, as `#rrggbb`.' }),
    backgroundColor: t.exposeString('backgroundColor', { nullable: true, description: 'Null is transparent.' }),
  }),
})

interface VideoShape {
  width: number
  height: number
  fps: number
  duration: number
}
const WaveformVideoData = builder.objectRef<VideoShape>('WaveformVideoData').implement({
  description: 'A video of the waveform with the sound.',
  fields: (t) => ({
    width: t.exposeInt('width', { description: 'Pixels.' }),
    height: t.exposeInt('height', { description: 'Pixels.' }),
    fps: t.exposeInt('fps', { description: 'Frames per second.' }),
    duration: t.exposeFloat('duration', { description: 'Seconds.' }),
  }),
})

const objects = {
  preview: PreviewData,
  levels: LevelsData,
  cover: coverImages,
  waveform_image: WaveformImageData,
  waveform_video: WaveformVideoData,
}
const TrackFileData = builder.unionType('TrackFileData', {
  description: 'What a file holds besides its bytes, by the kind of its variant.',
  types: Object.values(objects),
  resolveType: (data) => objects[(data as unknown as { kind: keyof typeof objects }).kind],
})

/** Data of a preview as it is stored, as its type shows it. */
export const toRestPreview = (data: unknown) => mapKeys(data, toCamel) as PreviewShape

/** Data as it is stored, as the union shows it. */
function toRestData(type: string | undefined, data: unknown, organizationId: string): never {
  if (type === undefined || !(type in objects) || typeof data !== 'object' || data === null) return null as never
  return { ...toRestAs(type, data, organizationId), kind: type } as never
}
function toRestAs(type: string, data: object, organizationId: string): object {
  if (type === 'cover') return { organizationId, sizes: data }
  return type === 'levels' ? toRestLevels(data, organizationId) : (mapKeys(data, toCamel) as object)
}

const VARIANT = '$kind'
/** The kind of a file's variant, which says what its props and data are. */
const kindOf = (file: object) => (file as { [VARIANT]?: { type: string } })[VARIANT]?.type

const RECIPE = '$recipe'
const recipeOf = (file: object) => (file as { [RECIPE]: { index: string; props: unknown } })[RECIPE]
const RECORDING = '$recording'
const recordingOf = (file: object) => (file as { [RECORDING]: { sourceSha256: string | null } })[RECORDING]

builder.prismaObject('TrackFile', {
  description: 'What one variant made of a track.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    trackId: t.exposeID('trackId', { description: 'The track that it was made of.' }),
    variantId: t.exposeID('variantId', { description: 'The recipe that it was made by.' }),
    variant: t.field({
      type: typeOf('Variant'),
      description: 'The recipe that it was made by.',
      ...related('variant'),
    }),
    state: t.expose('state', { type: TrackFileStateEnum, description: 'Where it is between plan and delivery.' }),
    isSuccess: t.boolean({
      description: 'Whether it can be delivered.',
      ...needsColumns('state'),
      resolve: ({ state }) => state === 'done',
    }),
    isStale: t.boolean({
      description:
        'Whether its variant was changed since it was made, or it was made of another recording: `rebuildTrack` and ' +
        '`applyVariant` make it anew. Delivered as it is.',
      ...needs({
        columns: ['state', 'index', 'recipe', 'sourceSha256'],
        also: {
          [RECIPE]: { relation: 'variant', columns: ['index', 'props'] },
          [RECORDING]: { relation: 'track', columns: ['sourceSha256'] },
        },
      }),
      resolve: (file) => isStale(file, recipeOf(file), recordingOf(file)),
    }),
    statusCode: t.exposeString('statusCode', {
      nullable: true,
      description:
        'Why it failed, or where a file that is done differs from what was asked for, as a stable word; the README lists them.',
    }),
    statusText: t.exposeString('statusText', {
      nullable: true,
      description: 'Why it failed, or where a file that is done differs from what was asked for, for a person.',
    }),
    path: t.exposeString('path', { nullable: true, description: 'Of the delivery address; null while not made.' }),
    url: t.string({
      nullable: true,
      description: 'Signed now, valid for an hour; null until the file is done.',
      ...needsColumns('path', 'state', 'organizationId'),
      resolve: ({ path, state, organizationId }, _, ctx) =>
        path !== null && state === 'done'
          ? withDelivery(ctx, organizationId, (delivery) => signedUrl(ctx, delivery, path))
          : null,
    }),
    size: t.float({
      nullable: true,
      description: 'Bytes.',
      ...needsColumns('size'),
      resolve: ({ size }) => (size === null ? null : Number(size)),
    }),
    sha256: t.exposeString('sha256', { nullable: true, description: 'Of the delivered bytes, lower-case hex.' }),
    ffmpegVersion: t.exposeString('ffmpegVersion', {
      nullable: true,
      description: 'Version of ffmpeg that it was made with; null until it is made, and for files of old.',
    }),
    sourceSha256: t.exposeString('sourceSha256', {
      nullable: true,
      description: "SHA-256 of the track's recording when it was made, lower-case hex; null where that was not known.",
    }),
    contentType: t.exposeString('contentType', { nullable: true, description: 'As it is delivered.' }),
    fileName: t.exposeString('fileName', { nullable: true, description: 'For a download.' }),
    isPublic: t.exposeBoolean('isPublic', { description: 'Whether it is delivered without a signature.' }),
    data: t.field({
      type: TrackFileData,
      nullable: true,
      description: 'What the file holds besides its bytes; null for those that are only bytes.',
      ...needs({
        columns: ['data', 'organizationId'],
        also: { [VARIANT]: { relation: 'variant', columns: ['type'] } },
      }),
      resolve: (file) => toRestData(kindOf(file), file.data, file.organizationId),
    }),
    props: t.field({
      ...propsField,
      description: 'Parameters that it was made with, those that were really used; null for a kind that has none.',
      ...needs({ columns: ['props'], also: { [VARIANT]: { relation: 'variant', columns: ['type'] } } }),
      resolve: (file) => toRestProps(kindOf(file) as never, file.props),
    }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true, description: 'When it was done.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was planned.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})
