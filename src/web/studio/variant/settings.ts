import { formatNumber, t } from '../../strings.ts'
import type { VariantRowFragment } from '../generated/operations.ts'
import { nameOfCodec } from './parameters.ts'

type Props = NonNullable<VariantRowFragment['props']>
type Sound = Extract<Props, { __typename: 'TranscodeProps' | 'PreviewProps' }>

/** A part of a list; left out if it is not set. */
type Part = string | 0 | false | null | undefined

/** The settings of a variant in words, the most important ones first. */
export function describeSettings({ props, variantTypeId }: VariantRowFragment): string {
  switch (props?.__typename) {
    case 'TranscodeProps':
      return joinParts(describeSound(props))
    case 'PreviewProps':
      return joinParts([describeLength(props), ...describeSound(props)])
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

const joinParts = (parts: readonly Part[]) => parts.filter(Boolean).join(', ')

const formatKbps = (bitrate: number | null | undefined) =>
  bitrate && t('variant.kbps', { count: formatNumber(bitrate) })

const formatSize = ({ width, height }: { width: number; height: number }) => t('variant.pixels', { width, height })

function describeSound(props: Sound): Part[] {
  const { codec, bitrate, bitrateMode, isStereo, normalize, normalizeMode, isTrimSilence } = props
  const bitDepth = props.__typename === 'TranscodeProps' ? props.bitDepth : null
  return [
    nameOfCodec(codec),
    formatKbps(bitrate),
    bitrateMode,
    bitDepth && t('variant.bitsPerSample', { count: bitDepth }),
    t(isStereo ? 'variant.stereo' : 'variant.mono'),
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
