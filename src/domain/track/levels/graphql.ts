import { builder } from '../../../platform/graphql/builder.ts'
import { mapKeys, toCamel } from '../../../platform/schema/case.ts'
import { signedUrl, withDelivery } from '../../organization/delivery.ts'

/** One form of the waveform as it is stored, and whose it is. */
interface WaveformFile {
  organizationId: string
  path: string
  type: string
  size: number
  sha256: string
}
const WaveformFileObject = builder.objectRef<WaveformFile>('WaveformFile').implement({
  description: 'A waveform in a form that players read.',
  fields: (t) => ({
    url: t.string({
      description: 'Signed now, valid for an hour.',
      resolve: ({ organizationId, path }, _, ctx) =>
        withDelivery(ctx, organizationId, (delivery) => signedUrl(ctx, delivery, path)),
    }),
    path: t.exposeString('path', { description: 'Of the delivery address.' }),
    type: t.exposeString('type', { description: 'Content type.' }),
    size: t.exposeInt('size', { description: 'Bytes.' }),
    sha256: t.exposeString('sha256', { description: 'Of the delivered bytes, lower-case hex.' }),
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
  description: 'The lowest and the highest sample of each pixel, in the data format of BBC audiowaveform.',
  fields: (t) => ({
    version: t.exposeInt('version', { description: 'Of the data format: 2.' }),
    channels: t.exposeInt('channels', { description: '1: the channels of the sound are averaged.' }),
    sampleRate: t.exposeInt('sampleRate', { description: 'Hz of the sound that it was taken from.' }),
    samplesPerPixel: t.exposeInt('samplesPerPixel', { description: 'Samples that each pair stands for.' }),
    bits: t.exposeInt('bits', { description: 'Resolution of a value, 8 or 16.' }),
    length: t.exposeInt('length', { description: 'Number of pairs; the last may stand for fewer samples.' }),
    json: t.field({
      type: WaveformFileObject,
      description: 'As JSON.',
      resolve: ({ json, organizationId }) => ({ ...json, organizationId }),
    }),
    dat: t.field({
      type: WaveformFileObject,
      description: 'As binary data, a fraction of the size.',
      resolve: ({ dat, organizationId }) => ({ ...dat, organizationId }),
    }),
    variantIndex: t.exposeString('variantIndex', {
      nullable: true,
      description: 'Index, at that time, of the transcode that it was taken from; null: the recording itself.',
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
  description: 'Loudness over time, for drawing a waveform.',
  fields: (t) => ({
    levels: t.exposeFloatList('levels', { description: 'One value for each equal span; linear, 1 is full scale.' }),
    numSamples: t.exposeInt('numSamples', { description: 'How many values there are.' }),
    avg: t.exposeFloat('avg', { description: 'Their mean.' }),
    max: t.exposeFloat('max', { description: 'The largest.' }),
    min: t.exposeFloat('min', { description: 'The smallest.' }),
    metric: t.exposeString('metric', { description: '`rms`.' }),
    resample: t.exposeInt('resample', { description: 'Hz that the recording was measured at.' }),
    waveform: t.field({
      type: WaveformObject,
      nullable: true,
      description: 'The waveform of what is played, for players; null for a file that was made without one.',
      resolve: ({ waveform }) => waveform ?? null,
    }),
  }),
})

/** Levels as they are stored, as the type shows them. */
export function toRestLevels(data: object, organizationId: string): Levels {
  const { waveform, ...levels } = mapKeys(data, toCamel) as Levels
  return { ...levels, ...(waveform && { waveform: { ...waveform, organizationId } }) }
}
