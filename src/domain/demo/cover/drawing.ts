/** Width and height of the cover in pixels. */
export const SIZE = 1200

type Color = readonly [red: number, green: number, blue: number]

const toColor = (hex: number): Color => [hex >> 16, (hex >> 8) & 255, hex & 255]
const mix = (from: Color, to: Color, share: number): Color => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
]
/** From 0 to 1 around an edge, for smooth outlines. */
const soften = (distance: number, width: number) => Math.min(1, Math.max(0, 0.5 + distance / width))

const sky = [0x0b1433, 0x23235c, 0x6a2f6d, 0xd65f63, 0xffb26b].map(toColor)
const disc = { top: toColor(0xfff0c9), bottom: toColor(0xff8a5c), label: toColor(0xd9486a), hole: toColor(0x2a1c4f) }
const sea = [0x3a2a66, 0x2c2460, 0x1f1d52, 0x151843, 0x0d1233, 0x080c24].map(toColor)
const shine = toColor(0xffc98a)

const HORIZON = 0.63
const CENTER = { x: 0.5, y: 0.47, radius: 0.3 }
const EDGE = 2 / SIZE

/** Color of a gradient with several stops. */
function gradient(colors: readonly Color[], share: number): Color {
  const place = Math.min(0.9999, Math.max(0, share)) * (colors.length - 1)
  const index = Math.floor(place)
  const [from, to] = [colors[index], colors[index + 1]]
  return from && to ? mix(from, to, place - index) : [0, 0, 0]
}

/** The sun above the horizon, which is a record: grooves around a label with a hole. */
function drawDisc(below: Color, x: number, y: number): Color {
  const distance = Math.hypot(x - CENTER.x, y - CENTER.y)
  const isInside = soften(CENTER.radius - distance, EDGE)
  const glow = mix(below, shine, 0.35 * Math.max(0, 1 - (distance - CENTER.radius) / 0.28) ** 3)
  if (isInside === 0) return glow
  const face = mix(disc.top, disc.bottom, (y - CENTER.y + CENTER.radius) / (HORIZON - CENTER.y + CENTER.radius))
  const groove = Math.sin(distance * 2 * Math.PI * 62) * 0.5 + 0.5
  const isGrooved = soften(distance - 0.115, EDGE) * soften(CENTER.radius - 0.012 - distance, EDGE)
  const grooved = mix(face, disc.label, 0.22 * groove * isGrooved)
  const labelled = mix(grooved, disc.label, soften(0.1 - distance, EDGE))
  return mix(glow, mix(labelled, disc.hole, soften(0.014 - distance, EDGE)), isInside)
}

/** Height of the crest of a wave. Each wave is a sum of sines, as a sound is. */
function crest(layer: number, x: number): number {
  const swell = Math.sin(x * (5.2 + layer * 0.9) + layer * 2.1) + 0.5 * Math.sin(x * (11.7 - layer) + layer * 4.4)
  return HORIZON + 0.004 + layer * 0.062 + (0.004 + 0.0045 * layer) * swell
}

function drawSea(above: Color, x: number, y: number): Color {
  let color = above
  for (const [layer, water] of sea.entries()) {
    const depth = y - (layer === 0 ? HORIZON : crest(layer, x))
    const isWater = soften(depth, EDGE)
    if (isWater === 0) continue
    // The crest catches the light below the sun.
    const light = Math.exp(-(((x - CENTER.x) / (0.2 + 0.03 * layer)) ** 2))
    const lit = mix(water, shine, light * (0.5 - 0.06 * layer) * Math.exp(-depth * (170 - 15 * layer)))
    color = mix(color, lit, isWater)
  }
  return color
}

/** Returns the color of a point of the cover. @param x from 0, left, to 1 @param y from 0, top, to 1 */
export function drawPoint(x: number, y: number): Color {
  return drawSea(drawDisc(gradient(sky, (y / HORIZON) ** 1.15), x, y), x, y)
}
