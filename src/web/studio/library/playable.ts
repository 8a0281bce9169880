import type { FileSoundFragment, TrackSoundQuery, VariantType } from '../generated/operations.ts'
import { findPart } from './part.ts'

type Track = NonNullable<TrackSoundQuery['track']>

export type PlayableFile = FileSoundFragment & { url: string }

const isAlac = (props: FileSoundFragment['props']) => props?.__typename === 'TranscodeProps' && props.codec === 'ALAC'

/** Types of files with sound, the best first. */
const order: readonly VariantType[] = ['TRANSCODE', 'ADAPTIVE', 'PREVIEW', 'ORIGINAL']

export const isSound = ({ variant }: FileSoundFragment): boolean => order.includes(variant.variantTypeId)

/** Files that this browser plays. A signed address is not a play request: nothing is counted. */
export function playable({ files }: { files: readonly FileSoundFragment[] }): PlayableFile[] {
  return files
    .filter((file): file is PlayableFile => file.url !== null && isSound(file))
    .filter(({ props }) => !isAlac(props) || new Audio().canPlayType('audio/mp4; codecs="alac"') !== '')
    .sort((one, other) => order.indexOf(one.variant.variantTypeId) - order.indexOf(other.variant.variantTypeId))
}

/** Length of a file in seconds, before the sound is loaded. */
export function computeLength(file: FileSoundFragment, { duration }: Pick<Track, 'duration'>): number {
  const part = findPart(file)
  return part ? part.end - part.start : (duration ?? 0)
}
