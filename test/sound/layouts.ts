import { makeHostMedia } from '../support/audio.ts'
import { alternating, layouts, type Share, tones, unnamedTones } from '../support/layouts.ts'
import type { Recording } from './uploads.ts'

/** A recording with a tone in each channel. */
export interface LayoutRecording extends Recording {
  shares: readonly Share[]
  /** The sum of its channels leaves no room for all of it. */
  isRelative?: boolean
  toleranceDb?: number
  absentDb?: number
  /** Its channels have positions, and meters weight them by these. */
  isMeasurable: boolean
}

const named = Object.entries(layouts).map(
  ([layout, shares]): LayoutRecording => ({
    name: `${layout}.wav`,
    shares,
    make: () => makeHostMedia(tones(layout, shares.length), 'wav'),
    isMeasurable: true,
  }),
)

/** In other containers, which have an order of channels of their own. Most of these codecs are lossy. */
function inContainer(layout: string, extension: string, args: readonly string[] = []): LayoutRecording {
  const shares = layouts[layout] ?? []
  const make = () => makeHostMedia([...tones(layout, shares.length), ...args], extension)
  return { name: `${layout}.${extension}`, shares, make, toleranceDb: 0.3, absentDb: -50, isMeasurable: true }
}

const unnamed = (shares: readonly Share[], layout: string, channels: number): LayoutRecording => ({
  name: `${channels} unnamed.wav`,
  shares,
  make: () => unnamedTones(layout, channels),
  isRelative: channels > 8,
  isMeasurable: channels <= 8,
})

export const layoutRecordings: LayoutRecording[] = [
  ...named,
  inContainer('quad', 'flac'),
  inContainer('5.1', 'flac'),
  inContainer('5.1', 'm4a', ['-c:a', 'aac', '-b:a', '384k']),
  inContainer('7.1(wide)', 'm4a', ['-c:a', 'alac']),
  inContainer('5.1', 'ogg', ['-c:a', 'libvorbis', '-q:a', '8']),
  inContainer('5.1', 'opus', ['-b:a', '384k', '-mapping_family', '1']),
  inContainer('7.1', 'wv'),
  inContainer('5.1', 'caf'),
  inContainer('5.1(side)', 'ac3', ['-b:a', '448k']),
  unnamed(layouts['4.0'] ?? [], '4.0', 4),
  unnamed(layouts['5.1'] ?? [], '5.1', 6),
  unnamed(alternating(16), 'hexadecagonal', 16),
]

export const layoutTable = {
  rows: layoutRecordings,
  variants: ['mp3', 'mono', 'level_mp3', 'level_mono'],
} as const
