import type { TextName } from '../../strings.ts'
import type { VariantType } from '../generated/operations.ts'

export const typeNames: Record<VariantType, TextName> = {
  TRANSCODE: 'variant.transcode',
  PREVIEW: 'variant.preview',
  ADAPTIVE: 'variant.adaptive',
  LEVELS: 'variant.levels',
  WAVEFORM_IMAGE: 'variant.waveformImage',
  WAVEFORM_VIDEO: 'variant.waveformVideo',
  ORIGINAL: 'variant.original',
  COVER: 'variant.cover',
}
