/** The drawing has 500 units in each direction: rays around a disc, as in the pages (web/rays.ts). */
const SIZE = 500
const MIDDLE = SIZE / 2
const DISC = 40
const RAYS = 120
const [INNER, SHORTEST, OUTER] = [92, 100, 226]
/** Avoids a division by zero for silence. */
const MIN_LEVEL = 0.01

/** Colors of a drawn cover, as `#rrggbb`. */
export interface DrawnColors {
  ground: string
  rays: string
}

/**
 * Draws the picture of a recording without a cover: its waveform as the rays of a record, as JPEG. The library that draws is
 * loaded by the first call, and draws outside of the event loop.
 * @param levels from 0 to 1. Empty without a waveform: the rays form a wave
 * @param edge pixels
 * @throws Error if the host has no such library
 */
export async function drawRays(
  levels: readonly number[],
  colors: DrawnColors,
  edge: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const { default: sharp } = await import('sharp')
  const svg = Buffer.from(writeDrawing(levels, colors))
  const jpeg = await sharp(svg, { density: (72 * edge) / SIZE })
    .resize(edge, edge)
    .flatten({ background: colors.ground })
    .jpeg({ quality: 84, chromaSubsampling: '4:4:4' })
    .toBuffer()
  return new Uint8Array(jpeg)
}

function writeDrawing(levels: readonly number[], { ground, rays }: DrawnColors): string {
  const loudest = levels.reduce((most, level) => Math.max(most, level), MIN_LEVEL)
  const lines = Array.from({ length: RAYS }, (_, at) => {
    const level = levels[Math.floor((at * levels.length) / RAYS)]
    const share = level === undefined ? 0.3 + 0.2 * Math.sin(at * 0.7) : level / loudest
    return writeRay((2 * Math.PI * at) / RAYS, SHORTEST + (OUTER - SHORTEST) * share)
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" width="${SIZE}" height="${SIZE}">
<rect width="${SIZE}" height="${SIZE}" fill="${ground}"/>
<path d="${lines.join('')}" stroke="${rays}" stroke-width="5" stroke-linecap="round"/>
<circle cx="${MIDDLE}" cy="${MIDDLE}" r="${DISC}" fill="${rays}"/></svg>`
}

/** @param angle from the top, clockwise, in radians */
function writeRay(angle: number, outer: number): string {
  const toPoint = (radius: number) =>
    `${(MIDDLE + radius * Math.sin(angle)).toFixed(1)} ${(MIDDLE - radius * Math.cos(angle)).toFixed(1)}`
  return `M${toPoint(INNER)}L${toPoint(outer)}`
}
