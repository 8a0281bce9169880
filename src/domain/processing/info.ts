import type { Probe } from '../../platform/media/probe.ts'

/** What a track keeps of the probe of its recording (contract, section 3). */
export function infoOf({ container, codec, channels, tags, sampleRate, bitRate }: Probe) {
  return { container, codec, sample_rate: sampleRate, channels, bit_rate: bitRate, tags }
}
