import type { Codec } from './codec.ts'

/** Sample rates that players support, in Hz. Any other rate is raised to the next one. */
const rates = [8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000]
const MAX_RATE = 192_000

export const flac = {
  description: 'FLAC. Lossless. For organization-wide transcodes only.',
  isLossless: true,
  extension: 'flac',
  contentType: 'audio/flac',
  codecName: 'flac',
  effort: 2,
  container: ['-f', 'flac'],
  encode: ({ bit_depth: requested }, { sampleRate: sourceRate, bitDepth: sourceDepth }) => {
    const bitDepth = requested ?? ((sourceDepth ?? 16) > 16 ? 24 : 16)
    // The encoder writes 24 bits of 32-bit samples.
    const sampleFormat = bitDepth === 24 ? 's32' : 's16'
    const sampleRate = rates.find((rate) => rate >= sourceRate) ?? MAX_RATE
    return { args: ['-c:a', 'flac', '-sample_fmt', sampleFormat], sampleRate, bitrate: null, bitDepth }
  },
} as const satisfies Codec
