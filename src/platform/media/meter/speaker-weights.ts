import type { SoundFormat } from './sound.ts'

const LOW_FREQUENCY = 0x8
/** Back left, right and center, side left and right, top back left, center and right. */
const SURROUND = 0x10 | 0x20 | 0x100 | 0x200 | 0x400 | 0x8000 | 0x10000 | 0x20000
/** +1.5 dB as a factor of power, as BS.1770 rounds it. */
const SURROUND_WEIGHT = 1.41

/** Layouts that decoders assume by number of channels, mono first. */
const USUAL_MASKS = [0x4, 0x3, 0xb, 0x107, 0x37, 0x3f, 0x70f, 0x63f]

/**
 * Returns the weight of each channel in loudness: none for low frequency effects, more for surrounds. Weighs all
 * surrounds alike, as common meters do, though BS.1770-5 table 4 weighs those beyond 120 degrees as front speakers.
 * @returns one weight per channel, in sample order
 * @see ITU-R BS.1770-5, annex 1, table 3
 */
export function speakerWeights({ channels, channelMask }: SoundFormat): number[] {
  const speakers = listSpeakers(channelMask === 0 ? (USUAL_MASKS[channels - 1] ?? 0) : channelMask)
  // Channels that the mask does not name have no position and the default weight.
  return Array.from({ length: channels }, (_, channel) => chooseWeight(speakers[channel] ?? 0))
}

function chooseWeight(speaker: number): number {
  if (speaker & LOW_FREQUENCY) return 0
  return speaker & SURROUND ? SURROUND_WEIGHT : 1
}

/** WAVE orders channels by the bits of the mask, lowest first. */
function listSpeakers(mask: number): number[] {
  return Array.from({ length: 31 }, (_, bit) => 1 << bit).filter((speaker) => mask & speaker)
}
