import { mapKeys, toCamel } from '../../../platform/case.ts'
import type { VariantType } from '../../../platform/db/generated/client/enums.ts'
import { builder, enumValues } from '../../../platform/graphql/builder.ts'
import type { NormalizeMode } from '../../../platform/media/gain.ts'
import type { BitrateMode } from './codecs/codec.ts'
import { type AudioCodec, codecs } from './codecs/index.ts'
import { apiVariantTypes, variantType, variantTypes } from './index.ts'
import { type Parameters, scalarOf } from './parameter.ts'
import { lengthParameters, type PreviewProps } from './preview.ts'
import type { WaveformImageFormat } from './type.ts'

// GraphQL objects and inputs of the parameters, derived from the declarations of the types.

type Types = typeof builder.$inferSchemaTypes
type InputFields = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>

/** Parameters in camelCase. */
type Props = Record<string, unknown>
type PropsFields = PothosSchemaTypes.ObjectFieldBuilder<Types, Props>

const AudioCodecEnum = builder.enumType('AudioCodec', {
  description: 'A codec of transcodes and previews.',
  values: enumValues<AudioCodec>(
    Object.fromEntries(Object.entries(codecs).map(([id, { description }]) => [id, description])) as Record<
      AudioCodec,
      string
    >,
  ),
})
const PreviewLength = builder.enumType('PreviewLength', {
  description: 'Unit of the length of a preview.',
  values: enumValues<PreviewProps['preview_type']>({
    seconds: 'Seconds, within limits in percent of the recording.',
    percent: 'Percent of the recording, within limits in seconds.',
  }),
})

const NormalizeModeEnum = builder.enumType('NormalizeMode', {
  description: 'How the loudness of a file is reached.',
  values: enumValues<NormalizeMode>({
    linear: 'By the gain alone. Peaks may keep a file below its loudness.',
    dynamic: 'By the gain and a limiter for its peaks.',
  }),
})

const BitrateModeEnum = builder.enumType('BitrateMode', {
  description: 'How the bit rate of a file is distributed over its sound.',
  values: enumValues<BitrateMode>({
    cbr: 'Every second has the bit rate.',
    vbr: 'The sound decides, and the encoder aims at the bit rate.',
  }),
})

const WaveformImageFormatEnum = builder.enumType('WaveformImageFormat', {
  description: 'Format of a waveform image.',
  values: enumValues<WaveformImageFormat>({ png: 'Pixels.', svg: 'Lines, sharp at any size.' }),
})

/** Parameters that objects show as enums. Inputs take their values as strings. */
const enums: Record<
  string,
  | typeof AudioCodecEnum
  | typeof PreviewLength
  | typeof NormalizeModeEnum
  | typeof BitrateModeEnum
  | typeof WaveformImageFormatEnum
> = {
  bitrate_mode: BitrateModeEnum,
  codec: AudioCodecEnum,
  format: WaveformImageFormatEnum,
  normalize_mode: NormalizeModeEnum,
  preview_type: PreviewLength,
}

/** Nullable parameters of objects, each with the meaning of null unless its description has it. */
const nullMeans: Record<string, string> = {
  ...Object.fromEntries(Object.keys(lengthParameters).map((name) => [name, 'Null for the other preview type.'])),
  bitrate: 'Null for a variant with a lossless codec.',
  bitrate_mode: 'Null when not set.',
  bit_depth: 'Null when not set.',
  normalize: 'Null when not set.',
  normalize_mode: 'Null when not set.',
  is_measured: 'Null when not set.',
  fade_in_seconds: 'Null when not set.',
  fade_out_seconds: 'Null when not set.',
  is_trim_silence: 'Null when not set.',
  samples_per_pixel: 'Null for a file without a waveform.',
  bits: 'Null for a file without a waveform.',
  waveform_channels: 'Null when not set.',
  format: 'Null when not set.',
  color: '',
  background_color: '',
}

const propsFields = (t: PropsFields, id: VariantType) =>
  Object.fromEntries(
    Object.entries(variantType(id).parameters).map(([name, rule]) => [
      toCamel(name),
      t.field({
        type: enums[name] ?? scalarOf(rule),
        nullable: name in nullMeans,
        description: [rule.description, nullMeans[name]].filter(Boolean).join(' '),
        resolve: (props) => props[toCamel(name)] as never,
      }),
    ]),
  )

const soundFields = (t: PropsFields) => ({
  sampleRate: t.int({
    nullable: true,
    description: 'Hz. Null for a variant, because it depends on the recording.',
    resolve: ({ sampleRate }) => sampleRate as number | undefined,
  }),
  channels: t.int({
    nullable: true,
    description: 'Number of channels. Null for a variant, because it depends on the recording.',
    resolve: ({ channels }) => channels as number | undefined,
  }),
  measuredBitrate: t.float({
    nullable: true,
    description: 'kbps of the file, without tags and cover. Null for a variant, and for files of early versions.',
    resolve: ({ measuredBitrate }) => measuredBitrate as number | undefined,
  }),
  integratedLufs: t.float({
    nullable: true,
    description:
      'Loudness of the file in LUFS, measured after encoding. Null for a variant, for silence, and without `normalize` or `isMeasured`.',
    resolve: ({ integratedLufs }) => integratedLufs as number | undefined,
  }),
  truePeakDbtp: t.float({
    nullable: true,
    description:
      'True peak of the file in dBTP, measured after encoding. Null for a variant, for silence, and without `normalize` or `isMeasured`.',
    resolve: ({ truePeakDbtp }) => truePeakDbtp as number | undefined,
  }),
})

const WHOLE = 'Null for a variant, and for a file of the whole recording.'

const transcodeFields = (t: PropsFields) => ({
  ...soundFields(t),
  captureStart: t.float({
    nullable: true,
    description: `Start in the recording, in seconds. ${WHOLE}`,
    resolve: ({ captureStart }) => captureStart as number | undefined,
  }),
  captureEnd: t.float({
    nullable: true,
    description: `End in the recording, in seconds. ${WHOLE}`,
    resolve: ({ captureEnd }) => captureEnd as number | undefined,
  }),
})

const propsObject = (name: string, id: VariantType, more?: (t: PropsFields) => ReturnType<typeof soundFields>) =>
  builder.objectRef<Props>(name).implement({
    description: `Parameters of the type ${id}. ${variantType(id).description}`,
    fields: (t) => ({ ...propsFields(t, id), ...more?.(t) }),
  })

const OriginalProps = builder.objectRef<{ codec: string | null; bitrate: number | null }>('OriginalProps').implement({
  description: 'Encoding of the uploaded recording.',
  fields: (t) => ({
    // Other names than in TranscodeProps, because fields of one name in a union must have one type.
    sourceCodec: t.exposeString('codec', { nullable: true, description: 'Codec, as named by ffprobe.' }),
    sourceBitrate: t.exposeFloat('bitrate', {
      nullable: true,
      description: 'Bit rate in kbps. Null when the container does not contain it.',
    }),
  }),
})

const objects = {
  transcode: propsObject('TranscodeProps', 'transcode', transcodeFields),
  preview: propsObject('PreviewProps', 'preview', soundFields),
  levels: propsObject('LevelsProps', 'levels'),
  original: OriginalProps,
  waveform_image: propsObject('WaveformImageProps', 'waveform_image'),
  waveform_video: propsObject('WaveformVideoProps', 'waveform_video'),
}

const VariantProps = builder.unionType('VariantProps', {
  description: 'Parameters with all defaults, by the type of the variant.',
  types: Object.values(objects),
  resolveType: (props) => objects[(props as unknown as { kind: keyof typeof objects }).kind],
})

/** Options of a `props` field. */
export const propsField = {
  type: VariantProps,
  nullable: true,
  description: 'Parameters. Null for a type without parameters.',
} as const

/** Stored props as a member of the union. */
export function toRestProps(type: VariantType, props: unknown): never {
  const isShown = type in objects && typeof props === 'object' && props !== null && Object.keys(props).length > 0
  return (isShown ? { ...(mapKeys(props, toCamel) as object), kind: type } : null) as never
}

/** Parameters of some types. A description names the types that it is for, unless it is for all of them. */
function parameterFields(t: InputFields, types: readonly { title: string; parameters: Parameters }[]) {
  const declared = types.flatMap(({ title, parameters }) =>
    Object.entries(parameters).map(([name, rule]) => ({
      name,
      title,
      scalar: scalarOf(rule),
      text: rule.description,
    })),
  )
  return Object.fromEntries(
    [...Map.groupBy(declared, ({ name }) => name)].map(([name, owners]) => {
      const texts = [...Map.groupBy(owners, ({ text }) => text)].map(([text, same]) => {
        const isForAll = same.length === types.length
        return isForAll ? text : `${same.map(({ title }) => title).join(', ')}: ${text}`
      })
      return [toCamel(name), t.field({ type: owners[0]?.scalar ?? 'String', description: texts.join(' ') })]
    }),
  )
}

/** Parameters of the types that clients may add to a track, as inputs take them. */
export const soundParameters = (t: InputFields) =>
  parameterFields(
    t,
    apiVariantTypes.map(variantType).map(({ title, parameters, trackRules }) => ({
      title,
      parameters: trackRules?.parameters ?? parameters,
    })),
  )

/** Parameters of every type, as inputs take them. */
export const allParameters = (t: InputFields) => parameterFields(t, variantTypes)
