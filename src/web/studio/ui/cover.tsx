import { memo } from 'react'
import { RAYS, raysPath } from '../../rays.ts'

interface Props {
  /** Address of the image. Undefined without a cover. */
  url: string | undefined
  /** Text from which the picture of a record without a cover is drawn, so that it differs from others: its title. */
  title: string
  /** Color of the drawn picture. Defaults to that of quiet text. */
  color?: string
  /** Levels of a recording, whose waveform is drawn instead, in the color of the music. For large covers. */
  levels?: readonly number[] | null
}

const BARS = 9
const SIZE = 24
const MIN_HEIGHT = 3

/** A cover without a text of its own: the title is next to it. */
export function Cover({ url, title, color, levels }: Props) {
  if (url) return <img className="cover" alt="" src={url} loading="lazy" decoding="async" />
  if (levels) return <Rays levels={levels} />
  return (
    <svg className="cover none" viewBox={`0 0 ${SIZE} ${SIZE}`} aria-hidden="true" style={{ color }}>
      <path d={drawBars(title)} />
    </svg>
  )
}

/** The picture that share pages draw for the same recording. */
const Rays = memo(({ levels }: { levels: readonly number[] }) => (
  <svg className="cover rays" viewBox={`0 0 ${RAYS.size} ${RAYS.size}`} aria-hidden="true">
    <path d={raysPath(levels)} />
    <circle cx={RAYS.size / 2} cy={RAYS.size / 2} r={RAYS.disc} />
  </svg>
))

/** Bars like those of a waveform. The same text has the same bars. */
function drawBars(text: string): string {
  let state = 7
  for (const character of text) state = (state * 31 + (character.codePointAt(0) ?? 0)) % 65_521
  let path = ''
  for (let at = 0; at < BARS; at++) {
    state = (state * 75 + 74) % 65_537
    const height = MIN_HEIGHT + (state % 12)
    path += `M${4 + at * 2} ${(SIZE - height) / 2}v${height}`
  }
  return path
}
