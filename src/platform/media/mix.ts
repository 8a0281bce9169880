import type { Probe } from './probe.ts'

/** The most channels whose speakers ffmpeg takes for granted where a file names none. */
const MAX_USUAL_CHANNELS = 8

/**
 * Filters that mix a recording down to two channels, or to one; none where it has no more than that.
 * @param channels 1 or 2
 */
export function mixTo(channels: number, { channels: has, channelLayout }: Pick<Probe, 'channels' | 'channelLayout'>) {
  if (channels >= has) return []
  const isKnown = has <= MAX_USUAL_CHANNELS || (channelLayout !== null && channelLayout !== 'unknown')
  // Mixed as whole numbers, for only then does ffmpeg keep the sum of several channels within full scale.
  if (isKnown) return [`aformat=sample_fmts=s32:channel_layouts=${channels === 1 ? 'mono' : 'stereo'}`]
  // Nobody knows where they belong: all of them in the middle, or every second one on each side.
  const shares = Array.from({ length: channels }, (_, side) => {
    const taken = Array.from({ length: has }, (_, at) => at).filter((at) => at % channels === side)
    return `c${side}=${taken.map((at) => `${(1 / taken.length).toFixed(6)}*c${at}`).join('+')}`
  })
  return [`pan=${channels === 1 ? 'mono' : 'stereo'}|${shares.join('|')}`]
}
