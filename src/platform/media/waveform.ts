/** Measures of a drawn waveform, in pixels. */
export interface WaveformShape {
  width: number
  height: number
  /** Left free on the left and on the right. */
  marginX: number
  /** Left free above and below. */
  marginY: number
  barWidth: number
  barGap: number
  /** Whether bars end in half circles. */
  isRounded: boolean
}

export interface WaveformColors {
  /** As #rrggbb. */
  color: string
  /** As #rrggbb; null leaves the background transparent. */
  backgroundColor: string | null
  /** Of the bars, 0-1. */
  opacity: number
}

/** How many bars a drawing has, at least one. */
export function barCount({ width, marginX, barWidth, barGap }: WaveformShape): number {
  return Math.max(1, Math.floor((width - 2 * marginX + barGap) / (barWidth + barGap)))
}

/** What is loud enough for a full bar at least, -40 dBFS: the noise of a silent recording is not blown up. */
const MIN_FULL_LEVEL = 0.01

/**
 * Draws one bar a level, mirrored around the middle, the loudest as high as there is room.
 * @param levels linear, as many as `barCount` says
 * @returns RGBA, four bytes a pixel, row by row, alpha not multiplied in
 */
export function drawWaveform(levels: readonly number[], shape: WaveformShape, colors: WaveformColors): Uint8Array {
  const { width, height, marginX, barWidth, barGap } = shape
  const shades = shadesOf(colors)
  const words = new Uint32Array(width * height).fill(shades[0] ?? 0)
  const full = Math.max(MIN_FULL_LEVEL, ...levels)
  const room = width - 2 * marginX - levels.length * (barWidth + barGap) + barGap
  const start = marginX + Math.floor(room / 2)
  for (const [i, level] of levels.entries()) {
    drawBar(words, shades, shape, start + i * (barWidth + barGap), level / full)
  }
  return new Uint8Array(words.buffer)
}

function drawBar(words: Uint32Array, shades: Uint32Array, shape: WaveformShape, left: number, share: number): void {
  const { width, height, marginY, barWidth, isRounded } = shape
  const room = height - 2 * marginY
  // The same is free above and below, to the pixel; silence is a thin line, so that one sees that time goes on.
  const free = Math.min(Math.round((room * (1 - share)) / 2), Math.ceil(room / 2) - 1)
  const barHeight = room - 2 * free
  const radius = isRounded ? Math.min(barWidth, barHeight) / 2 : 0
  for (let y = 0; y < barHeight; y++) {
    const at = (marginY + free + y) * width + left
    if (y >= radius && y < barHeight - radius) {
      words.fill(shades[255] ?? 0, at, at + barWidth)
      continue
    }
    for (let x = 0; x < barWidth; x++) {
      const coverage = coverageOf(x + 0.5 - barWidth / 2, y + 0.5 - barHeight / 2, barWidth, barHeight, radius)
      words[at + x] = shades[Math.round(coverage * 255)] ?? 0
    }
  }
}

/** How much of a pixel a rounded rectangle covers, 0-1, by the distance of its outline from the pixel's middle. */
function coverageOf(x: number, y: number, width: number, height: number, radius: number): number {
  const [beyondX, beyondY] = [Math.abs(x) - width / 2 + radius, Math.abs(y) - height / 2 + radius]
  const outside = Math.hypot(Math.max(beyondX, 0), Math.max(beyondY, 0))
  const distance = outside + Math.min(Math.max(beyondX, beyondY), 0) - radius
  return Math.min(1, Math.max(0, 0.5 - distance))
}

/** A pixel for each coverage from 0 to 255, its four bytes as one word in this machine's order. */
function shadesOf({ color, backgroundColor, opacity }: WaveformColors): Uint32Array {
  const ink = channelsOf(color)
  const paper = backgroundColor === null ? null : channelsOf(backgroundColor)
  const bytes = new Uint8ClampedArray(256 * 4)
  for (let coverage = 0; coverage < 256; coverage++) {
    const covered = (coverage / 255) * opacity
    // Transparent pixels have the bars' colour too: so edges stay clean where the picture is scaled.
    const mixed = paper ? ink.map((part, i) => part * covered + (paper[i] ?? 0) * (1 - covered)) : ink
    bytes.set([...mixed, paper ? 255 : covered * 255], coverage * 4)
  }
  return new Uint32Array(bytes.buffer)
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}
