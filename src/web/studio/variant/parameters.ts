import type { TextName } from '../../strings.ts'
import type { VariantType } from '../generated/operations.ts'

/** A setting of a variant, by the name of its field in the API. */
export type Parameter =
  | { kind: 'numbers'; name: string; initial: readonly number[] }
  | { kind: 'number'; name: string; min?: number; max?: number; initial?: number }
  | { kind: 'flag'; name: string; initial: boolean }
  | { kind: 'color'; name: string; initial?: string }
  | { kind: 'choice'; name: string; choices: readonly { id: string; text: string }[]; initial: string }

const number = (name: string, min?: number, max?: number, initial?: number): Parameter => ({
  kind: 'number',
  name,
  min,
  max,
  initial,
})
const flag = (name: string, initial = true): Parameter => ({ kind: 'flag', name, initial })

/** The modes that an encoder has, its own first. */
const modes: Readonly<Record<string, readonly ('cbr' | 'vbr')[]>> = { mp3: ['cbr', 'vbr'], opus: ['vbr', 'cbr'] }

const lossy = [
  { id: 'aac', text: 'AAC' },
  { id: 'mp3', text: 'MP3' },
  { id: 'opus', text: 'Opus' },
  { id: 'ogg', text: 'Ogg Vorbis' },
]
const lossless = [
  { id: 'flac', text: 'FLAC' },
  { id: 'alac', text: 'ALAC' },
  { id: 'wav', text: 'WAV' },
]
const codecs = [...lossy, ...lossless]
const isLossless = (codec: string) => lossless.some(({ id }) => id === codec)

/** @param id in any case */
export const nameOfCodec = (id: string): string => codecs.find((codec) => codec.id === id.toLowerCase())?.text ?? id

const codec = (isLosslessAllowed: boolean): Parameter => ({
  kind: 'choice',
  name: 'codec',
  choices: isLosslessAllowed ? codecs : lossy,
  initial: 'aac',
})
const sound = ({ linear, dynamic }: ChoiceTexts): readonly Parameter[] => [
  flag('isStereo'),
  number('normalize', -40, -5),
  choice('normalizeMode', { linear, dynamic }),
  flag('isTrimSilence', false),
  flag('isMeasured', false),
  flag('isStripTags'),
  flag('isStripCover'),
]
const bars: readonly Parameter[] = [
  number('barWidth', 1, 64, 4),
  number('barGap', 0, 64, 2),
  flag('isRounded'),
  { kind: 'color', name: 'color' },
]
/** @param texts by value, the default first */
const choice = (name: string, texts: Record<string, string>): Parameter => {
  const choices = Object.entries(texts).map(([id, text]) => ({ id, text }))
  return { kind: 'choice', name, choices, initial: choices[0]?.id ?? '' }
}

/** Texts of choices, by value. */
export type ChoiceTexts = Record<
  'seconds' | 'percent' | 'linear' | 'dynamic' | 'cbr' | 'vbr' | 'mixed' | 'split',
  string
>

/** Choices that decide which other settings a variant has. */
export interface Chosen {
  codec: string
  previewType: string
}

/**
 * The settings that a type has, as the service declares them (GET /graphql/schema.graphql, CreateVariantInput).
 * @param texts of the choices that are not names
 */
export function listParameters(type: VariantType, chosen: Chosen, texts: ChoiceTexts): readonly Parameter[] {
  switch (type) {
    case 'TRANSCODE':
      return [codec(true), ...(isLossless(chosen.codec) ? [bitDepth] : rate(chosen.codec, texts)), ...sound(texts)]
    case 'PREVIEW':
      return [
        choice('previewType', { seconds: texts.seconds, percent: texts.percent }),
        ...(chosen.previewType === 'percent' ? inPercent : inSeconds),
        number('previewStartPercent', 0, 100, 25),
        number('fadeInSeconds', 0, 30, 0),
        number('fadeOutSeconds', 0, 30, 0),
        codec(false),
        ...rate(chosen.codec, texts),
        ...sound(texts),
      ]
    case 'ADAPTIVE':
      return [
        { kind: 'numbers', name: 'bitrates', initial: [64, 128, 256] },
        flag('isStereo'),
        number('normalize', -40, -5),
        choice('normalizeMode', { linear: texts.linear, dynamic: texts.dynamic }),
        flag('isTrimSilence', false),
      ]
    case 'LEVELS':
      return [
        number('numSamples', 1, 10_000, 320),
        number('samplesPerPixel', 64, 65_536, 256),
        choice('bits', { 8: '8', 16: '16' }),
        choice('waveformChannels', { 1: texts.mixed, 2: texts.split }),
      ]
    case 'WAVEFORM_IMAGE':
      return [
        choice('format', { png: 'PNG', svg: 'SVG' }),
        number('width', 16, 4096, 1800),
        number('height', 16, 2048, 280),
        ...bars,
        { kind: 'color', name: 'backgroundColor' },
      ]
    case 'WAVEFORM_VIDEO':
      return [
        number('width', 128, 1920, 1280),
        number('height', 128, 1080, 720),
        number('fps', 1, 30, 10),
        number('bitrate', 32, 320, 128),
        ...bars,
        { kind: 'color', name: 'backgroundColor', initial: '#000000' },
      ]
    default:
      return []
  }
}

function rate(codec: string, texts: ChoiceTexts): readonly Parameter[] {
  const codecModes = modes[codec]
  const mode = codecModes && choice('bitrateMode', Object.fromEntries(codecModes.map((id) => [id, texts[id]])))
  return [number('bitrate', 12, 320, 128), ...(mode ? [mode] : [])]
}

/** `16` or `24`. */
const bitDepth = number('bitDepth', 16, 24)
const inSeconds = [
  number('previewSeconds', 0, undefined, 60),
  number('previewMinPercent', 0, 100, 0),
  number('previewMaxPercent', 0, 100, 50),
]
const inPercent = [
  number('previewPercent', 0, 100, 25),
  number('previewMinSeconds', 0, undefined, 0),
  number('previewMaxSeconds', 0, undefined, 90),
]

export const toLabel = (name: string) => `variant.${name}` as TextName

const numericChoices = ['bits', 'waveformChannels']

/**
 * The settings in a form, as inputs of the API take them. An empty field is null, which stands for the default, and so
 * are the default of a choice and a flag that is off by default.
 */
export function readInput(fields: FormData, parameters: readonly Parameter[]): Record<string, unknown> {
  return Object.fromEntries(
    parameters.map((parameter) => {
      const { kind, name } = parameter
      const text = String(fields.get(name) ?? '').trim()
      if (kind === 'flag') return [name, text === 'on' || (parameter.initial ? false : null)]
      if (text === '' || (kind === 'choice' && text === parameter.initial)) return [name, null]
      if (kind === 'numbers') return [name, text.split(/[\s,;]+/).map(Number)]
      return [name, kind === 'number' || numericChoices.includes(name) ? Number(text) : text]
    }),
  )
}
