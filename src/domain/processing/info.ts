import type { Probe } from '../../platform/media/probe.ts'

/** What of a probe is shown: the words of /v1 (contract, section 3). */
export const infoOf = ({ container, codec, channels, tags, ...found }: Probe) => ({
  ...{ container, codec, sample_rate: found.sampleRate, bit_depth: found.bitDepth, channels },
  ...{ channel_layout: found.channelLayout, bit_rate: found.bitRate, tags },
})
