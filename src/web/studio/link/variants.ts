import type { LinkVariantFragment as LinkVariant } from '../generated/operations.ts'

/** Transcodes of these codecs are the recording itself, for everyone who has the link. */
export const MASTER_CODECS: readonly string[] = ['FLAC', 'ALAC', 'WAV']
/** The variant for listeners that a new organization has. */
const STANDARD_INDEX = 'hq'
const PLAYED_TYPES = ['TRANSCODE', 'PREVIEW', 'ADAPTIVE', 'ORIGINAL']

type Described = Pick<LinkVariant, 'index' | 'variantTypeId' | 'props'>

const readTranscode = ({ props }: Described) => (props?.__typename === 'TranscodeProps' ? props : null)

/** Whether a link with the variant gives away the recording in full quality. */
export const isMaster = (variant: Described): boolean =>
  variant.variantTypeId === 'ORIGINAL' || MASTER_CODECS.includes(readTranscode(variant)?.codec ?? '')

export const isPlayed = ({ variantTypeId }: Described): boolean => PLAYED_TYPES.includes(variantTypeId)

/** The variant for listeners first, other transcodes by their bit rate, previews, and masters last. */
export function sortForListeners<V extends Described>(variants: readonly V[]): V[] {
  const rank = (variant: V) => {
    if (isMaster(variant)) return 3
    if (variant.variantTypeId === 'PREVIEW') return 2
    return variant.index === STANDARD_INDEX ? 0 : 1
  }
  const bitrate = (variant: V) => readTranscode(variant)?.bitrate ?? 0
  return [...variants].sort((one, other) => rank(one) - rank(other) || bitrate(other) - bitrate(one))
}

/** The variant that a link opens unless a person chooses another one. Undefined without a transcode for listeners. */
export const findDefault = <V extends Described>(variants: readonly V[]): V | undefined =>
  sortForListeners(variants).find((variant) => variant.variantTypeId === 'TRANSCODE' && !isMaster(variant))
