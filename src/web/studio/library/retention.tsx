import { type PointerEvent, useState } from 'react'
import { formatClock, formatNumber, t } from '../../strings.ts'
import type { TrackDetailFragment, TrackListensQuery } from '../generated/operations.ts'
import { CsvButton } from '../usage/csv-button.tsx'

type Retention = TrackListensQuery['retention']

const percent = (share: number) => formatNumber(share, { style: 'percent', maximumFractionDigits: 0 })

/** Hundredths at the end of a track. Many leave while it fades out. */
const END = 5

interface RetentionProps {
  track: Pick<TrackDetailFragment, 'id' | 'chapters'>
  retention: Retention
}

/** The curve of listenings over the length of a track, with its chapters. Nothing without listenings. */
export function RetentionCurve({ track, retention }: RetentionProps) {
  const { listenings, averageSeconds, durationSeconds, hundredths } = retention
  if (listenings === 0 || !durationSeconds) return null
  const shares = hundredths.map((count) => count / listenings)
  const average = averageSeconds ?? 0
  const facts = [
    t('library.averageHeard', {
      time: formatClock(average),
      length: formatClock(durationSeconds),
      share: percent(average / durationSeconds),
    }),
    t('library.endHeard', { share: percent(Math.max(...shares.slice(-END))) }),
    listenings === 1 ? t('library.oneListening') : t('library.listenings', { count: formatNumber(listenings) }),
  ]
  return (
    <section>
      <div className="section-head">
        <h2>{t('library.retention')}</h2>
        <CsvButton path={`/v1/track/${track.id}/retention`} query={{ format: 'csv' }} name={`retention-${track.id}`} />
      </div>
      <Curve shares={shares} durationSeconds={durationSeconds} chapters={track.chapters} label={facts.join(' ')} />
      <ul className="retention-facts">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </section>
  )
}

interface CurveProps {
  /** Of each hundredth, 0 to 1. */
  shares: readonly number[]
  durationSeconds: number
  chapters: TrackDetailFragment['chapters']
  /** Says in words what it shows. */
  label: string
}

function Curve({ shares, durationSeconds, chapters, label }: CurveProps) {
  /** Place of the hundredth under the pointer. */
  const [pointed, setPointed] = useState<number | null>(null)
  const point = ({ currentTarget, clientX }: PointerEvent) => {
    const box = currentTarget.getBoundingClientRect()
    const place = Math.floor((shares.length * (clientX - box.left)) / box.width)
    setPointed(Math.min(shares.length - 1, Math.max(0, place)))
  }
  const steps = shares.map((share, place) => `V${round(1 - share)}H${place + 1}`).join('')
  const at = pointed ?? 0
  const seconds = (at * durationSeconds) / shares.length
  const chapter = chapters.findLast(({ startSeconds }) => startSeconds <= seconds)
  return (
    <figure className="retention">
      <div
        className="retention-plot"
        role="img"
        aria-label={label}
        onPointerMove={point}
        onPointerLeave={() => setPointed(null)}
      >
        <svg viewBox={`0 0 ${shares.length} 1`} preserveAspectRatio="none" aria-hidden="true">
          <path d={`M0 1${steps}V1z`} />
        </svg>
        {[1, 0.5].map((share) => (
          <span key={share} className="level" style={{ top: `${100 * (1 - share)}%` }}>
            {percent(share)}
          </span>
        ))}
        {chapters
          .filter(({ startSeconds }) => startSeconds > 0 && startSeconds < durationSeconds)
          .map(({ startSeconds }) => (
            <i key={startSeconds} className="chapter" style={{ left: `${(100 * startSeconds) / durationSeconds}%` }} />
          ))}
        {pointed !== null && (
          <>
            <i style={{ left: `${at + 0.5}%` }} />
            <span className={at >= 50 ? 'seek-tip at-end' : 'seek-tip'} style={{ left: `${at + 0.5}%` }}>
              {[formatClock(seconds), percent(shares[at] ?? 0), chapter?.title].filter(Boolean).join(' · ')}
            </span>
          </>
        )}
      </div>
      <figcaption>
        {[0, 0.25, 0.5, 0.75, 1].map((part) => (
          <span key={part}>{formatClock(part * durationSeconds)}</span>
        ))}
      </figcaption>
    </figure>
  )
}

/** To a pixel of a plot that is no higher than 1,000 of them. */
const round = (share: number) => Math.round(share * 1000) / 1000
