import type { VariantType } from '../../../platform/db/generated/client/enums.ts'
import { cover } from './cover.ts'
import { levels } from './levels.ts'
import { original } from './original.ts'
import { preview } from './preview.ts'
import { transcode } from './transcode.ts'
import type { VariantTypeDefinition } from './type.ts'
import { waveformImage } from './waveform-image.ts'
import { waveformVideo } from './waveform-video.ts'

/** Every kind of variant. */
const types = [
  ...[transcode, preview],
  ...[levels, waveformImage, waveformVideo],
  ...[original, cover],
] as readonly VariantTypeDefinition[]

const byId = new Map(types.map((type) => [type.id, type]))

/** The definition of a kind, or undefined for one that cannot be made. */
export const variantType = (id: string): VariantTypeDefinition | undefined => byId.get(id as VariantType)

/** Kinds that clients may add to a track. */
export const apiVariantTypes = types.filter((type) => type.isApiAllowed).map((type) => type.id)
