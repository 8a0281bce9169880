import { Link } from 'wouter'
import { formatReason, t } from '../../strings.ts'
import type { FailedTrackFragment as FailedTrack } from '../generated/operations.ts'
import { Remedy } from '../library/problem.tsx'
import { Cover } from '../ui/cover.tsx'

interface Props {
  tracks: readonly FailedTrack[]
  hasMore: boolean
}

/** Tracks that need a person, and why. Nothing without one. */
export function Failures({ tracks, hasMore }: Props) {
  if (tracks.length === 0) return null
  return (
    <section>
      <h2>{t('overview.failed')}</h2>
      <ul className="entries" aria-label={t('overview.failed')}>
        {tracks.map((track) => (
          <li key={track.id} className="overview-failure">
            <Cover url={track.coverImage?.small.url} title={track.title} color={track.effectivePlayerColor} />
            <span className="overview-name">
              <Link href={`/track/${track.id}`}>{track.title}</Link>
              <small>{formatReason(track) ?? t('library.filesFailed')}</small>
            </span>
            <Remedy track={track} />
          </li>
        ))}
      </ul>
      {hasMore && (
        <p>
          <Link href="/tracks?status=NOT_READY">{t('overview.allFailed')}</Link>
        </p>
      )}
    </section>
  )
}
