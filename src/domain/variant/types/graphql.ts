import type { VariantType } from '../../../platform/db/generated/client/enums.ts'
import { builder, enumValues } from '../../../platform/graphql/builder.ts'
import { mapKeys, toCamel } from '../../../platform/schema/case.ts'
import type { LossyCodec } from './audio.ts'

export const AudioCodec = builder.enumType('AudioCodec', {
  description: 'A codec that files can be made in.',
  values: enumValues<LossyCodec>({
    aac: 'AAC in an MP4 container (`.m4a`).',
    mp3: 'MPEG-1/2 layer III.',
    ogg: 'Vorbis in an Ogg container.',
    opus: 'Opus in an Ogg container.',
  }),
})

export const PreviewLength = builder.enumType('PreviewLength', {
  description: 'How the length of a preview is measured.',
  values: enumValues<'seconds' | 'percent'>({
    seconds: 'In seconds, within shares of the recording.',
    percent: 'As a share of the recording, within seconds.',
  }),
})

interface Audio {
  codec: LossyCodec
  bitrate: number
  isStereo: boolean
  isStripTags: boolean
  isStripCover: boolean
  normalize?: number
  sampleRate?: number
  channels?: number
}
const audioFields = {
  codec: 'What it is encoded in.',
  bitrate: 'kbps, 12 to 320; of a file what it really has.',
  isStereo: 'False mixes down to mono.',
  isStripTags: 'Whether the tags of the recording are left out.',
  isStripCover: 'Whether an embedded cover is left out.',
  normalize: 'Integrated loudness in LUFS that is aimed at; null leaves it as it came.',
  sampleRate: 'Hz; null for a variant: chosen for each recording.',
  channels: 'How many there are; null for a variant: chosen for each recording.',
}

const TranscodeProps = builder.objectRef<Audio>('TranscodeProps').implement({
  description: 'Parameters of a transcode: the whole recording in another codec.',
  fields: (t) => ({
    codec: t.expose('codec', { type: AudioCodec, description: audioFields.codec }),
    bitrate: t.exposeFloat('bitrate', { description: audioFields.bitrate }),
    isStereo: t.exposeBoolean('isStereo', { description: audioFields.isStereo }),
    isStripTags: t.exposeBoolean('isStripTags', { description: audioFields.isStripTags }),
    isStripCover: t.exposeBoolean('isStripCover', { description: audioFields.isStripCover }),
    normalize: t.exposeFloat('normalize', { nullable: true, description: audioFields.normalize }),
    sampleRate: t.exposeInt('sampleRate', { nullable: true, description: audioFields.sampleRate }),
    channels: t.exposeInt('channels', { nullable: true, description: audioFields.channels }),
  }),
})

interface Preview extends Audio {
  previewType: 'seconds' | 'percent'
  previewStartPercent: number
  previewSeconds?: number
  previewMinPercent?: number
  previewMaxPercent?: number
  previewPercent?: number
  previewMinSeconds?: number
  previewMaxSeconds?: number
}
const PreviewProps = builder.objectRef<Preview>('PreviewProps').implement({
  description: 'Parameters of a preview: a short clip. The bounds of the other kind of length are null.',
  fields: (t) => ({
    previewType: t.expose('previewType', { type: PreviewLength, description: 'How its length is measured.' }),
    previewStartPercent: t.exposeFloat('previewStartPercent', {
      description: 'Where it starts: share of the recording.',
    }),
    previewSeconds: t.exposeFloat('previewSeconds', { nullable: true, description: 'Wished length in seconds.' }),
    previewMinPercent: t.exposeFloat('previewMinPercent', { nullable: true, description: 'Shortest, as a share.' }),
    previewMaxPercent: t.exposeFloat('previewMaxPercent', { nullable: true, description: 'Longest, as a share.' }),
    previewPercent: t.exposeFloat('previewPercent', { nullable: true, description: 'Wished length as a share.' }),
    previewMinSeconds: t.exposeFloat('previewMinSeconds', { nullable: true, description: 'Shortest, in seconds.' }),
    previewMaxSeconds: t.exposeFloat('previewMaxSeconds', { nullable: true, description: 'Longest, in seconds.' }),
    codec: t.expose('codec', { type: AudioCodec, description: audioFields.codec }),
    bitrate: t.exposeFloat('bitrate', { description: audioFields.bitrate }),
    isStereo: t.exposeBoolean('isStereo', { description: audioFields.isStereo }),
    isStripTags: t.exposeBoolean('isStripTags', { description: audioFields.isStripTags }),
    isStripCover: t.exposeBoolean('isStripCover', { description: audioFields.isStripCover }),
    normalize: t.exposeFloat('normalize', { nullable: true, description: audioFields.normalize }),
    sampleRate: t.exposeInt('sampleRate', { nullable: true, description: audioFields.sampleRate }),
    channels: t.exposeInt('channels', { nullable: true, description: audioFields.channels }),
  }),
})

interface Levels {
  numSamples: number
  samplesPerPixel?: number
  bits?: number
}
const LevelsProps = builder.objectRef<Levels>('LevelsProps').implement({
  description: 'Parameters of waveform levels.',
  fields: (t) => ({
    numSamples: t.exposeInt('numSamples', { description: 'How many loudness values there are.' }),
    samplesPerPixel: t.exposeInt('samplesPerPixel', {
      nullable: true,
      description: 'Samples that each pair of the waveform stands for; null for a file that was made without one.',
    }),
    bits: t.exposeInt('bits', {
      nullable: true,
      description: 'Resolution of the waveform, 8 or 16; null for a file that was made without one.',
    }),
  }),
})

const OriginalProps = builder.objectRef<{ codec: string | null; bitrate: number | null }>('OriginalProps').implement({
  description: 'What the uploaded recording is encoded in.',
  fields: (t) => ({
    // Names of their own: fields of one name within a union would have to be of one type.
    sourceCodec: t.exposeString('codec', { nullable: true, description: "ffprobe's name of the codec." }),
    sourceBitrate: t.exposeFloat('bitrate', { nullable: true, description: 'kbps, where the container tells.' }),
  }),
})

interface Waveform {
  width: number
  height: number
  barWidth: number
  barGap: number
  isRounded: boolean
  color: string | null
  backgroundColor: string | null
}
const waveform = {
  width: 'Pixels.',
  height: 'Pixels.',
  barWidth: 'Pixels.',
  barGap: 'Pixels between two bars.',
  isRounded: 'Whether bars have round ends.',
  color: 'Of the bars, as `#rrggbb`; null takes the effective colour of the track.',
  backgroundColor: 'As `#rrggbb`; null is transparent.',
}
const WaveformImageProps = builder.objectRef<Waveform>('WaveformImageProps').implement({
  description: 'Parameters of a waveform image.',
  fields: (t) => ({
    width: t.exposeInt('width', { description: waveform.width }),
    height: t.exposeInt('height', { description: waveform.height }),
    barWidth: t.exposeInt('barWidth', { description: waveform.barWidth }),
    barGap: t.exposeInt('barGap', { description: waveform.barGap }),
    isRounded: t.exposeBoolean('isRounded', { description: waveform.isRounded }),
    color: t.exposeString('color', { nullable: true, description: waveform.color }),
    backgroundColor: t.exposeString('backgroundColor', { nullable: true, description: waveform.backgroundColor }),
  }),
})
const WaveformVideoProps = builder
  .objectRef<Waveform & { fps: number; bitrate: number }>('WaveformVideoProps')
  .implement({
    description: 'Parameters of a waveform video.',
    fields: (t) => ({
      width: t.exposeInt('width', { description: waveform.width }),
      height: t.exposeInt('height', { description: waveform.height }),
      fps: t.exposeInt('fps', { description: 'Frames per second.' }),
      bitrate: t.exposeFloat('bitrate', { description: 'kbps of the sound.' }),
      barWidth: t.exposeInt('barWidth', { description: waveform.barWidth }),
      barGap: t.exposeInt('barGap', { description: waveform.barGap }),
      isRounded: t.exposeBoolean('isRounded', { description: waveform.isRounded }),
      color: t.exposeString('color', { nullable: true, description: waveform.color }),
      backgroundColor: t.exposeString('backgroundColor', { nullable: true, description: waveform.backgroundColor }),
    }),
  })

const objects = {
  transcode: TranscodeProps,
  preview: PreviewProps,
  levels: LevelsProps,
  original: OriginalProps,
  waveform_image: WaveformImageProps,
  waveform_video: WaveformVideoProps,
}
type Kind = keyof typeof objects

interface Resolved {
  kind: Kind
}

const VariantProps = builder.unionType('VariantProps', {
  description: 'Parameters with every default filled in, by the kind of the variant.',
  types: Object.values(objects),
  resolveType: (props) => objects[(props as unknown as Resolved).kind],
})

/** Options of a `props` field: null for kinds without parameters, and where none are set yet. */
export const propsField = {
  type: VariantProps,
  nullable: true,
  description: 'Parameters; null for a kind that has none.',
} as const

/** Props as they are stored, as the union shows them. */
export function toRestProps(type: VariantType, props: unknown): never {
  const isShown = type in objects && typeof props === 'object' && props !== null && Object.keys(props).length > 0
  return (isShown ? { ...(mapKeys(props, toCamel) as object), kind: type } : null) as never
}
