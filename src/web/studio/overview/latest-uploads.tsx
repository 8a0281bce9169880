import { Link } from 'wouter'
import { t } from '../../strings.ts'
import type { OverviewTracksQuery } from '../generated/operations.ts'
import { findMusicColor, setMusicColor } from '../library/music-color.ts'
import { Cover } from '../ui/cover.tsx'
import { Status } from '../ui/track-status.tsx'

type Track = OverviewTracksQuery['latest']['edges'][number]['node']

/** The newest tracks, with their covers. */
export const LatestUploads = ({ tracks }: { tracks: readonly Track[] }) => (
  <section>
    <h2>{t('overview.latest')}</h2>
    <ul className="overview-covers" aria-label={t('overview.latest')}>
      {tracks.map((track) => (
        <li key={track.id} style={setMusicColor(findMusicColor(track))}>
          <Link href={`/track/${track.id}`}>
            <Cover
              url={track.coverImage?.small.url}
              title={track.title}
              color={track.effectivePlayerColor}
              levels={track.levels?.levels}
            />
            <strong>{track.title}</strong>
          </Link>
          {track.status === 'READY' ? <small>{track.collection?.title}</small> : <Status {...track} />}
        </li>
      ))}
    </ul>
  </section>
)
