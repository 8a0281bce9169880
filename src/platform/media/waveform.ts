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

/** A bar in pixels, in the coordinates of the drawing. */
interface Bar {
  leftEdge: number
  top: number
  width: number
  height: number
  /** Of its corners. At most half of the shorter side. */
  radius: number
}

/**
 * Places one bar per level, mirrored around the middle, the loudest at full height.
 * @param levels linear; their number is `barCount`
 */
function placeBars(levels: readonly number[], shape: WaveformShape): Bar[] {
  const { marginX, marginY, barWidth: width, barGap, isRounded } = shape
  const full = Math.max(MIN_FULL_LEVEL, ...levels)
  const room = shape.height - 2 * marginY
  const freeX = shape.width - 2 * marginX - levels.length * (width + barGap) + barGap
  const start = marginX + Math.floor(freeX / 2)
  return levels.map((level, i) => {
    // Equal space above and below, to the pixel. Silence is a thin line, so that the passing of time is visible.
    const free = Math.min(Math.round((room * (1 - level / full)) / 2), Math.ceil(room / 2) - 1)
    const height = room - 2 * free
    const radius = isRounded ? Math.min(width, height) / 2 : 0
    return { leftEdge: start + i * (width + barGap), top: marginY + free, width, height, radius }
  })
}

/**
 * Draws one bar per level.
 * @param levels linear; their number is `barCount`
 * @returns RGBA, four bytes per pixel, row by row, alpha not premultiplied
 */
export function drawWaveform(levels: readonly number[], shape: WaveformShape, colors: WaveformColors): Uint8Array {
  const shades = mixShades(colors)
  const words = new Uint32Array(shape.width * shape.height).fill(shades[0] ?? 0)
  for (const bar of placeBars(levels, shape)) drawBar(words, shades, shape.width, bar)
  return new Uint8Array(words.buffer)
}

function drawBar(words: Uint32Array, shades: Uint32Array, stride: number, bar: Bar): void {
  const { leftEdge, top, width, height, radius } = bar
  for (let y = 0; y < height; y++) {
    const at = (top + y) * stride + leftEdge
    if (y >= radius && y < height - radius) {
      words.fill(shades[255] ?? 0, at, at + width)
      continue
    }
    for (let x = 0; x < width; x++) {
      const coverage = computeCoverage(x + 0.5 - width / 2, y + 0.5 - height / 2, width, height, radius)
      words[at + x] = shades[Math.round(coverage * 255)] ?? 0
    }
  }
}

/** Share of a pixel that a rounded rectangle covers, 0 to 1, by the distance of its outline from the pixel's center. */
function computeCoverage(x: number, y: number, width: number, height: number, radius: number): number {
  const [beyondX, beyondY] = [Math.abs(x) - width / 2 + radius, Math.abs(y) - height / 2 + radius]
  const outside = Math.hypot(Math.max(beyondX, 0), Math.max(beyondY, 0))
  const distance = outside + Math.min(Math.max(beyondX, beyondY), 0) - radius
  return Math.min(1, Math.max(0, 0.5 - distance))
}

/** Colors by coverage from 0 to 255, each as a word of four bytes in native byte order. */
function mixShades({ color, backgroundColor, opacity }: WaveformColors): Uint32Array {
  const ink = parseChannels(color)
  const paper = backgroundColor === null ? null : parseChannels(backgroundColor)
  const bytes = new Uint8ClampedArray(256 * 4)
  for (let coverage = 0; coverage < 256; coverage++) {
    const covered = (coverage / 255) * opacity
    // Transparent pixels have the bars' color too, so that edges stay clean when the picture is scaled.
    const mixed = paper ? ink.map((part, i) => part * covered + (paper[i] ?? 0) * (1 - covered)) : ink
    bytes.set([...mixed, paper ? 255 : covered * 255], coverage * 4)
  }
  return new Uint32Array(bytes.buffer)
}

function parseChannels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}

/**
 * Writes the drawing of `drawWaveform` as SVG, with opaque bars. It contains numbers and colors, and no script, style or
 * link. It fills a box of any proportion, as an image of pixels does. Its colors are presentation attributes, which a
 * page that inlines it can replace by CSS.
 * @param levels linear; their number is `barCount`
 * @returns at most 22 bytes per bar and 1.5 kB
 */
export function waveformSvg(
  levels: readonly number[],
  shape: WaveformShape,
  { color, backgroundColor }: Omit<WaveformColors, 'opacity'>,
): string {
  const { width, height, isRounded } = shape
  const lines = Map.groupBy(placeBars(levels, shape).map(toLine), ({ thickness }) => thickness)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`,
    ' preserveAspectRatio="none" role="img" aria-label="Waveform"',
    ` stroke="${toHex(color)}"${isRounded ? ' stroke-linecap="round"' : ''}>`,
    backgroundColor && `<path fill="${toHex(backgroundColor)}" stroke="none" d="M0 0H${width}V${height}H0z"/>`,
    ...[...lines].map(
      ([thickness, same]) => `<path stroke-width="${thickness}" d="${same.map(({ path }) => path).join('')}"/>`,
    ),
    '</svg>\n',
  ].join('')
}

/** A bar as a line through its middle, a third of the bytes of its outline. Round ends extend beyond the path. */
function toLine({ leftEdge, top, width, height, radius }: Bar): { thickness: number; path: string } {
  const [right, bottom] = [leftEdge + width - radius, top + height - radius]
  return radius > 0 && height < width
    ? { thickness: height, path: `M${leftEdge + radius} ${top + radius}H${right}` }
    : { thickness: width, path: `M${leftEdge + width / 2} ${top + radius}V${bottom}` }
}

const toHex = (color: string) => `#${Buffer.from(parseChannels(color)).toString('hex')}`
