import type { VariantType } from '../../../platform/db/generated/client/enums.ts'
import { adaptive } from './adaptive.ts'
import { cover } from './cover.ts'
import { levels } from './levels.ts'
import { original } from './original.ts'
import { preview } from './preview.ts'
import { transcode } from './transcode.ts'
import type { VariantTypeDefinition } from './type.ts'
import { waveformImage } from './waveform-image.ts'
import { waveformVideo } from './waveform-video.ts'

const types = {
  transcode,
  preview,
  adaptive,
  levels,
  waveform_image: waveformImage,
  waveform_video: waveformVideo,
  original,
  cover,
} satisfies Record<VariantType, { id: VariantType }>

export const variantTypes: readonly VariantTypeDefinition[] = Object.values(types) as VariantTypeDefinition[]

/** The definition of a type. */
export const variantType = (id: VariantType) => types[id] as VariantTypeDefinition

/** Types that clients may add to a track. */
export const apiVariantTypes = variantTypes.flatMap((type) => (type.isApiAllowed ? [type.id] : []))

/** Types whose files play, in the order of their preference. */
export const playableTypes = variantTypes.flatMap((type) => (type.isPlayable ? [type.id] : []))
