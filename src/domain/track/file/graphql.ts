import type { z } from 'zod'
import { mapKeys, toCamel } from '../../../platform/case.ts'
import type { TrackFileState } from '../../../platform/db/generated/client/enums.ts'
import { builder, enumValues, findType } from '../../../platform/graphql/builder.ts'
import { Node } from '../../../platform/graphql/node.ts'
import { related } from '../../../platform/graphql/page.ts'
import { needs, needsColumns } from '../../../platform/graphql/plan.ts'
import { points, withPrice } from '../../../platform/graphql/price.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { signedUrl, withDelivery } from '../../delivery/address.ts'
import { coverImages } from '../../organization/cover/graphql.ts'
import { MAX_RATES } from '../../variant/types/adaptive.ts'
import { propsField, toRestProps } from '../../variant/types/graphql.ts'
import { LevelsData, toRestLevels } from './levels/graphql.ts'
import {
  adaptiveFields,
  adaptiveRateFields,
  adaptiveShape,
  derivedFields,
  fileColumns,
  fileDashboardFields,
  fileShape,
  previewFields,
  previewShape,
  waveformImageFields,
  waveformImageShape,
  waveformVideoFields,
  waveformVideoShape,
} from './record.ts'
import { isStale } from './stale.ts'

const TrackFileStateEnum = builder.enumType('TrackFileState', {
  description: 'State of a file.',
  values: enumValues<TrackFileState>({
    queued: 'Waits for processing.',
    processing: 'Is being generated.',
    done: 'Finished. Can be delivered.',
    failed: 'Failed. `statusText` has the reason.',
  }),
})

type Preview = z.output<typeof previewShape>
export const PreviewData = builder.objectRef<Preview>('PreviewData').implement({
  description: previewShape.description,
  fields: (t) => expose(t, previewFields),
})
const WaveformImageData = builder.objectRef<z.output<typeof waveformImageShape>>('WaveformImageData').implement({
  description: waveformImageShape.description,
  fields: (t) => expose(t, waveformImageFields),
})
const WaveformVideoData = builder.objectRef<z.output<typeof waveformVideoShape>>('WaveformVideoData').implement({
  description: waveformVideoShape.description,
  fields: (t) => expose(t, waveformVideoFields),
})

type StoredRates = Record<string, z.output<typeof adaptiveShape>['rates'][string]>
const AdaptiveRate = builder.objectRef<StoredRates[string] & { bitrate: number }>('AdaptiveRate').implement({
  description: 'One of the files of an adaptive stream.',
  fields: (t) => ({
    bitrate: t.exposeInt('bitrate', { description: 'Bit rate in kbps, as its variant has it.' }),
    ...expose(t, adaptiveRateFields),
  }),
})
const AdaptiveData = builder.objectRef<z.output<typeof adaptiveShape>>('AdaptiveData').implement({
  description: adaptiveShape.description,
  fields: (t) => ({
    ...expose(t, adaptiveFields),
    rates: t.field({
      type: [AdaptiveRate],
      extensions: { price: { items: MAX_RATES } },
      description: adaptiveShape.shape.rates.description,
      resolve: ({ rates }) => Object.entries(rates).map(([bitrate, rate]) => ({ ...rate, bitrate: Number(bitrate) })),
    }),
  }),
})

const objects = {
  preview: PreviewData,
  adaptive: AdaptiveData,
  levels: LevelsData,
  cover: coverImages,
  waveform_image: WaveformImageData,
  waveform_video: WaveformVideoData,
}
const TrackFileData = builder.unionType('TrackFileData', {
  description: 'Results of a file in addition to its bytes, by the type of its variant.',
  types: Object.values(objects),
  resolveType: (data) => objects[(data as unknown as { kind: keyof typeof objects }).kind],
})

/** Maps the stored data of a preview to the source of `PreviewData`. */
export const toRestPreview = (data: unknown) => mapKeys(data, toCamel) as Preview

/** Maps the stored data of a file to the source of `TrackFileData`. */
function toRestData(type: string | undefined, data: unknown, organizationId: string): never {
  if (type === undefined || !(type in objects) || typeof data !== 'object' || data === null) return null as never
  return { ...toRestAs(type, data, organizationId), kind: type } as never
}
function toRestAs(type: string, data: object, organizationId: string): object {
  if (type === 'cover') return { organizationId, sizes: data }
  return type === 'levels' ? toRestLevels(data, organizationId) : (mapKeys(data, toCamel) as object)
}

const VARIANT = '$kind'
/** The type of a file's variant, which determines the types of its props and data. */
const kindOf = (file: object) => (file as { [VARIANT]?: { type: string } })[VARIANT]?.type

const RECIPE = '$recipe'
const recipeOf = (file: object) => (file as { [RECIPE]: { index: string; props: unknown } })[RECIPE]
const RECORDING = '$recording'
const recordingOf = (file: object) => (file as { [RECORDING]: { sourceSha256: string | null } })[RECORDING]

builder.prismaObject('TrackFile', {
  interfaces: [Node],
  description: fileShape.description,
  fields: (t) => ({
    ...expose(t, { ...fileColumns, ...fileDashboardFields }),
    variant: t.field({
      type: findType('Variant'),
      description: 'The variant that it was generated by.',
      ...related('variant'),
    }),
    state: t.expose('state', { type: TrackFileStateEnum, description: 'State of the file.' }),
    isSuccess: t.boolean({
      description: derivedFields.isSuccess.description,
      ...needsColumns('state'),
      resolve: ({ state }) => state === 'done',
    }),
    isStale: t.boolean({
      description:
        'Whether its variant or the recording changed since it was generated. It is delivered until `rebuildTrack` ' +
        'or `applyVariant` replaces it.',
      ...needs({
        columns: ['state', 'index', 'recipe', 'sourceSha256'],
        also: {
          [RECIPE]: { relation: 'variant', columns: ['index', 'props'] },
          [RECORDING]: { relation: 'track', columns: ['sourceSha256'] },
        },
      }),
      resolve: (file) => isStale(file, recipeOf(file), recordingOf(file)),
    }),
    url: t.string({
      nullable: true,
      description: derivedFields.url.description,
      ...withPrice(needsColumns('path', 'state', 'organizationId'), { points: points.signed }),
      resolve: ({ path, state, organizationId }, _, ctx) =>
        path !== null && state === 'done'
          ? withDelivery(ctx, organizationId, (delivery) => signedUrl(ctx, delivery, path))
          : null,
    }),
    size: t.float({
      nullable: true,
      description: derivedFields.size.description,
      ...needsColumns('size'),
      resolve: ({ size }) => (size === null ? null : Number(size)),
    }),
    data: t.field({
      type: TrackFileData,
      nullable: true,
      description: fileShape.shape.data.description,
      ...needs({
        columns: ['data', 'organizationId'],
        also: { [VARIANT]: { relation: 'variant', columns: ['type'] } },
      }),
      resolve: (file) => toRestData(kindOf(file), file.data, file.organizationId),
    }),
    props: t.field({
      ...propsField,
      description: fileShape.shape.props.description,
      ...needs({ columns: ['props'], also: { [VARIANT]: { relation: 'variant', columns: ['type'] } } }),
      resolve: (file) => toRestProps(kindOf(file) as never, file.props),
    }),
  }),
})
