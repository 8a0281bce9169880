import { type PointerEvent, useState } from 'react'
import { formatClock, t } from '../../strings.ts'
import { useIsNarrow } from '../ui/narrow.ts'
import { Wave } from './wave.tsx'

/** Maximum numbers of bars that are still apart, on a phone and in a wider window. */
const NARROW_BARS = 100
const WIDE_BARS = 200

interface Chapter {
  startSeconds: number
  title: string
}

interface Props {
  levels: readonly number[] | null
  /** Position in seconds. */
  at: number
  length: number
  /** Whether the position is shown. Defaults to true. */
  isPlayed?: boolean
  /** Marked where they begin. */
  chapters?: readonly Chapter[]
  onSeek: (seconds: number) => void
}

/** The position as `1:02 / 3:45`. */
export const formatPosition = (at: number, length: number) => `${formatClock(at)} / ${formatClock(length)}`

/** The waveform as the control of the position, with the time under the pointer. A plain slider without levels. */
export function Seek({ levels, at, length, isPlayed = true, chapters = [], onSeek }: Props) {
  const bars = useIsNarrow() ? NARROW_BARS : WIDE_BARS
  /** Place of the pointer, 0 to 1. */
  const [pointed, setPointed] = useState<number | null>(null)
  const point = ({ currentTarget, clientX, pointerType }: PointerEvent) => {
    const box = currentTarget.getBoundingClientRect()
    const place = Math.min(1, Math.max(0, (clientX - box.left) / box.width))
    setPointed(pointerType === 'touch' || length === 0 ? null : place)
  }
  const played = length > 0 ? at / length : 0
  return (
    <div className={levels ? 'seek' : 'seek plain'}>
      {levels && <Wave levels={levels} bars={bars} played={isPlayed ? played : undefined} />}
      {levels && isPlayed && <i className="place" style={{ left: `${100 * played}%` }} />}
      {chapters
        .filter(({ startSeconds }) => startSeconds > 0 && startSeconds < length)
        .map(({ startSeconds }) => (
          <i key={startSeconds} className="mark" style={{ left: `${(100 * startSeconds) / length}%` }} />
        ))}
      <input
        type="range"
        min="0"
        max={Math.max(1, length)}
        step="1"
        value={at}
        aria-label={t('listen.position')}
        aria-valuetext={formatPosition(at, length)}
        onChange={({ target }) => onSeek(Number(target.value))}
        onPointerMove={point}
        onPointerLeave={() => setPointed(null)}
      />
      {pointed !== null && (
        <span
          className={pointed > 0.5 ? 'seek-tip at-end' : 'seek-tip'}
          style={{ left: `${100 * pointed}%` }}
          aria-hidden="true"
        >
          {formatTip(pointed * length, chapters)}
        </span>
      )}
    </div>
  )
}

function formatTip(seconds: number, chapters: readonly Chapter[]): string {
  const chapter = chapters.findLast(({ startSeconds }) => startSeconds <= seconds)
  return [formatClock(seconds), chapter?.title].filter(Boolean).join(' · ')
}
