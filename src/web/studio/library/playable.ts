import type { FileSoundFragment, TrackSoundQuery } from '../generated/operations.ts'
import { findPart } from './part.ts'

type Track = NonNullable<TrackSoundQuery['track']>

export type PlayableFile = FileSoundFragment & { url: string }

const isAlac = (props: FileSoundFragment['props']) => props?.__typename === 'TranscodeProps' && props.codec === 'ALAC'

/** Files that this browser plays. A signed address is not a play request: nothing is counted. */
export function playable({ files }: { files: readonly FileSoundFragment[] }): PlayableFile[] {
  const order = ['TRANSCODE', 'PREVIEW', 'ORIGINAL']
  return files
    .filter((file): file is PlayableFile => file.url !== null && order.includes(file.variant.variantTypeId))
    .filter(({ props }) => !isAlac(props) || new Audio().canPlayType('audio/mp4; codecs="alac"') !== '')
    .sort((one, other) => order.indexOf(one.variant.variantTypeId) - order.indexOf(other.variant.variantTypeId))
}

/** Length of a file in seconds, before the sound is loaded. */
export function computeLength(file: PlayableFile, { duration }: Pick<Track, 'duration'>): number {
  const part = findPart(file)
  return part ? part.end - part.start : (duration ?? 0)
}
