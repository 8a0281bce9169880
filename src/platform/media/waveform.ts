/** Dimensions of a drawn waveform, in pixels. */
export interface WaveformShape {
  width: number
  height: number
  /** Margin on the left and on the right. */
  marginX: number
  /** Margin above and below. */
  marginY: number
  barWidth: number
  barGap: number
  /** Whether bars have round ends. */
  isRounded: boolean
}

export interface WaveformColors {
  /** As #rrggbb. */
  color: string
  /** As #rrggbb. Null for a transparent background. */
  backgroundColor: string | null
  /** Opacity of the bars, 0 to 1. */
  opacity: number
}

/** Number of bars of a drawing, at least one. */
export function barCount({ width, marginX, barWidth, barGap }: WaveformShape): number {
  return Math.max(1, Math.floor((width - 2 * marginX + barGap) / (barWidth + barGap)))
}

/** Minimum level of a full-height bar, -40 dBFS: the noise of a silent recording is not magnified. */
const MIN_FULL_LEVEL = 0.01

/**
 * Draws one bar per level, mirrored around the middle, the loudest at full height.
 * @param levels linear; their number is `barCount`
 * @returns RGBA, four bytes per pixel, row by row, alpha not premultiplied
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
  // Equal space above and below, to the pixel. Silence is a thin line, so that the passing of time is visible.
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

/** Share of a pixel that a rounded rectangle covers, 0 to 1, by the distance of its outline from the pixel's center. */
function coverageOf(x: number, y: number, width: number, height: number, radius: number): number {
  const [beyondX, beyondY] = [Math.abs(x) - width / 2 + radius, Math.abs(y) - height / 2 + radius]
  const outside = Math.hypot(Math.max(beyondX, 0), Math.max(beyondY, 0))
  const distance = outside + Math.min(Math.max(beyondX, beyondY), 0) - radius
  return Math.min(1, Math.max(0, 0.5 - distance))
}

/** Colors by coverage from 0 to 255, each as a word of four bytes in native byte order. */
function shadesOf({ color, backgroundColor, opacity }: WaveformColors): Uint32Array {
  const ink = channelsOf(color)
  const paper = backgroundColor === null ? null : channelsOf(backgroundColor)
  const bytes = new Uint8ClampedArray(256 * 4)
  for (let coverage = 0; coverage < 256; coverage++) {
    const covered = (coverage / 255) * opacity
    // Transparent pixels have the bars' color too, so that edges stay clean when the picture is scaled.
    const mixed = paper ? ink.map((part, i) => part * covered + (paper[i] ?? 0) * (1 - covered)) : ink
    bytes.set([...mixed, paper ? 255 : covered * 255], coverage * 4)
  }
  return new Uint32Array(bytes.buffer)
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}
