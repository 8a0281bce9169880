import { Link } from 'wouter'
import { formatNumber, t } from '../../strings.ts'
import { useData } from '../api.ts'
import { MostPlayedDocument, PlayedTrackDocument } from '../generated/operations.ts'
import { findMusicColor, setMusicColor } from '../library/music-color.ts'
import { Answered } from '../ui/answer.tsx'
import { Cover } from '../ui/cover.tsx'
import { fillDays } from '../usage/days.tsx'
import { type Period, toRange } from '../usage/period.ts'
import { Sparkline } from '../usage/sparkline.tsx'

/** The tracks with the most listens of a period. */
export function MostPlayed({ period }: { period: Period }) {
  return (
    <section>
      <h2>{t('usage.breakdown')}</h2>
      <Answered of={useData(MostPlayedDocument, toRange(period))}>
        {({ usage }) =>
          usage.length > 0 ? (
            <ol className="overview-played" aria-label={t('usage.breakdown')}>
              {usage.map(({ trackId, listens }) => (
                <li key={trackId}>{trackId && <Row id={trackId} listens={listens} period={period} />}</li>
              ))}
            </ol>
          ) : (
            <p className="quiet">{t('usage.nothing')}</p>
          )
        }
      </Answered>
    </section>
  )
}

interface RowProps {
  id: string
  listens: number
  period: Period
}

/** A track with its listens by day. It may have been deleted since. */
function Row({ id, listens, period }: RowProps) {
  const { data, error } = useData(PlayedTrackDocument, { id, ...toRange(period) })
  const track = data?.track
  const title = track?.title ?? ''
  return (
    <>
      <Cover url={track?.coverImage?.small.url} title={title} color={track?.effectivePlayerColor} />
      <span className="overview-name">
        {track && <Link href={`/track/${id}`}>{title}</Link>}
        {error && <span className="quiet">{t('usage.gone', { id: id.slice(-8) })}</span>}
        {track?.artist && <small>{track.artist}</small>}
      </span>
      <span className="overview-trend" style={track ? setMusicColor(findMusicColor(track)) : undefined}>
        {data && <Sparkline values={fillDays(data.usage, period).map(({ listens }) => listens)} />}
      </span>
      <span className="overview-count">{formatNumber(listens)}</span>
    </>
  )
}
