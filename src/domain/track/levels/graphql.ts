import { builder } from '../../../platform/graphql/builder.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { mapKeys, toCamel } from '../../../platform/schema/case.ts'
import { signedUrl, withDelivery } from '../../organization/delivery.ts'
import {
  bitsDescription,
  datFileDescription,
  jsonFileDescription,
  levelsDescription,
  levelsFields,
  levelsListDescription,
  siblingFields,
  waveformDescription,
  waveformFields,
} from '../file/record.ts'

/** A stored form of the waveform, and its organization. */
interface WaveformFile {
  organizationId: string
  path: string
  type: string
  size: number
  sha256: string
}
const { url, ...siblingColumns } = siblingFields
const WaveformFileObject = builder.objectRef<WaveformFile>('WaveformFile').implement({
  description: 'A waveform in a form that players read.',
  fields: (t) => ({
    ...expose(t, siblingColumns),
    url: t.string({
      description: url.description,
      resolve: ({ organizationId, path }, _, ctx) =>
        withDelivery(ctx, organizationId, (delivery) => signedUrl(ctx, delivery, path)),
    }),
  }),
})

interface Waveform {
  organizationId: string
  version: number
  channels: number
  sampleRate: number
  samplesPerPixel: number
  bits: number
  length: number
  json: Omit<WaveformFile, 'organizationId'>
  dat: Omit<WaveformFile, 'organizationId'>
  variantIndex: string | null
}
const WaveformObject = builder.objectRef<Waveform>('Waveform').implement({
  description: waveformDescription,
  fields: (t) => ({
    ...expose(t, waveformFields),
    version: t.exposeInt('version', { description: 'Version of the data format. Always 2.' }),
    bits: t.exposeInt('bits', { description: bitsDescription }),
    json: t.field({
      type: WaveformFileObject,
      description: jsonFileDescription,
      resolve: ({ json, organizationId }) => ({ ...json, organizationId }),
    }),
    dat: t.field({
      type: WaveformFileObject,
      description: datFileDescription,
      resolve: ({ dat, organizationId }) => ({ ...dat, organizationId }),
    }),
  }),
})

interface Levels {
  avg: number
  max: number
  min: number
  levels: number[]
  metric: string
  resample: number
  numSamples: number
  waveform?: Waveform
}
export const LevelsData = builder.objectRef<Levels>('LevelsData').implement({
  description: levelsDescription,
  fields: (t) => ({
    ...expose(t, levelsFields),
    levels: t.exposeFloatList('levels', { description: levelsListDescription }),
    metric: t.exposeString('metric', { description: 'Always `rms`.' }),
    waveform: t.field({
      type: WaveformObject,
      nullable: true,
      description: `${waveformDescription} Null for files of early versions.`,
      resolve: ({ waveform }) => waveform ?? null,
    }),
  }),
})

/** Maps stored levels to the source of `LevelsData`. */
export function toRestLevels(data: object, organizationId: string): Levels {
  const { waveform, ...levels } = mapKeys(data, toCamel) as Levels
  return { ...levels, ...(waveform && { waveform: { ...waveform, organizationId } }) }
}
