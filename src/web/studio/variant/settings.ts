import { formatNumber, t } from '../../strings.ts'
import type { VariantRowFragment } from '../generated/operations.ts'
import { nameOfCodec } from './parameters.ts'
import { typeNames } from './types.ts'

type Props = NonNullable<VariantRowFragment['props']>
type Sound = Extract<Props, { __typename: 'TranscodeProps' | 'PreviewProps' }>

type Described = Pick<VariantRowFragment, 'props' | 'variantTypeId'>

/** A part of a list; left out if it is not set. */
type Part = string | 0 | false | null | undefined

/** The settings of a variant in words, the most important ones first. */
export function describeSettings({ props, variantTypeId }: Described): string {
  switch (props?.__typename) {
    case 'TranscodeProps':
      return joinParts(describeSound(props))
    case 'PreviewProps':
      return joinParts([describeLength(props), ...describeSound(props)])
    case 'AdaptiveProps':
      return joinParts([
        formatKbps(props.bitrates.map((rate) => formatNumber(rate)).join(', ')),
        t(props.isStereo ? 'variant.stereo' : 'variant.mono'),
        ...describeLevel(props),
      ])
    case 'LevelsProps':
      return joinParts([
        t('variant.values', { count: formatNumber(props.numSamples) }),
        t('variant.waveformBits', { bits: props.bits ?? 0 }),
        props.waveformChannels === 2 && t('variant.leftAndRight'),
      ])
    case 'WaveformImageProps':
      return joinParts([props.format ?? 'PNG', formatSize(props), props.color])
    case 'WaveformVideoProps':
      return joinParts([
        formatSize(props),
        t('variant.framesPerSecond', { count: props.fps }),
        formatKbps(props.bitrate),
      ])
    default:
      return t(variantTypeId === 'COVER' ? 'variant.coverSettings' : 'variant.originalSettings')
  }
}

/** Parts of a transcode's settings that name it: codec and bit rate. */
const NAMING_PARTS = 2

/** A file by a name that people use, as `MP3, 128 kbps`, and its further settings. */
export function describeFile({ props, variantTypeId }: Described): { name: string; details: string } {
  if (props?.__typename !== 'TranscodeProps')
    return { name: t(typeNames[variantTypeId]), details: describeSettings({ props, variantTypeId }) }
  const parts = describeSound(props)
  return { name: joinParts(parts.slice(0, NAMING_PARTS)), details: joinParts(parts.slice(NAMING_PARTS)) }
}

const joinParts = (parts: readonly Part[]) => parts.filter(Boolean).join(', ')

const formatKbps = (bitrate: number | string | null | undefined) =>
  bitrate && t('variant.kbps', { count: typeof bitrate === 'number' ? formatNumber(bitrate) : bitrate })

const formatSize = ({ width, height }: { width: number; height: number }) => t('variant.pixels', { width, height })

function describeSound(props: Sound): Part[] {
  const { codec, bitrate, bitrateMode, isStereo } = props
  const bitDepth = props.__typename === 'TranscodeProps' ? props.bitDepth : null
  return [
    nameOfCodec(codec),
    formatKbps(bitrate),
    bitrateMode,
    bitDepth && t('variant.bitsPerSample', { count: bitDepth }),
    t(isStereo ? 'variant.stereo' : 'variant.mono'),
    ...describeLevel(props),
  ]
}

function describeLevel({
  normalize,
  normalizeMode,
  isTrimSilence,
}: Pick<Sound, 'normalize' | 'normalizeMode' | 'isTrimSilence'>): Part[] {
  return [
    isTrimSilence && t('variant.trimmed'),
    normalize && t('variant.lufs', { count: formatNumber(normalize) }),
    normalize && normalizeMode === 'DYNAMIC' && t('variant.limiter'),
  ]
}

function describeLength(props: Extract<Props, { __typename: 'PreviewProps' }>): string {
  const { previewType, previewSeconds, previewPercent, previewStartPercent } = props
  const share = (percent: number | null | undefined) =>
    formatNumber((percent ?? 0) / 100, { style: 'percent', maximumFractionDigits: 1 })
  const length =
    previewType === 'SECONDS'
      ? t('variant.seconds', { count: formatNumber(previewSeconds ?? 0) })
      : share(previewPercent)
  return t('variant.clip', { length, start: share(previewStartPercent) })
}
