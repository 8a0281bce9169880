import { useState } from 'react'
import { Link } from 'wouter'
import { formatClock, formatNumber, t } from '../../strings.ts'
import { useData } from '../api.ts'
import { type TrackDetailFragment as Track, TrackListensDocument } from '../generated/operations.ts'
import { SubjectLinks } from '../link/subject-links.tsx'
import { Button } from '../ui/button.tsx'
import { fillDays } from '../usage/days.tsx'
import { lastDays, toRange } from '../usage/period.ts'
import { Sparkline } from '../usage/sparkline.tsx'
import { findPart } from './part.ts'
import { toPlayed } from './play-list.tsx'
import { type PlayableFile, playable } from './playable.ts'
import { usePlayback } from './playback-context.tsx'
import { QualitySentence } from './quality.tsx'
import { RetentionCurve } from './retention.tsx'
import { Transcription } from './transcription.tsx'
import { Translations } from './translations.tsx'

const DAYS = 30

interface Props {
  track: Track
  detailsPath: string
  /** Reads the track again. */
  reload: () => Promise<void>
}

/** How the track sounds and how often it is heard, and the texts that listeners read. */
export function ListenTab({ track, detailsPath, reload }: Props) {
  const [file] = playable(track)
  return (
    <>
      <QualitySentence report={track.qualityReport} detailsPath={detailsPath} />
      {file ? <Listens track={track} /> : <p className="quiet">{t('library.noSound')}</p>}
      <SubjectLinks trackId={track.id} />
      {track.description && (
        <section>
          <h2>{t('listen.notes')}</h2>
          <p className="transcription">{track.description}</p>
        </section>
      )}
      <Chapters track={track} file={file} />
      <Transcription track={track} reload={reload} />
      <Translations track={track} />
    </>
  )
}

/** Listens of the last 30 days, and how much of the track was heard. Nothing until they are read. */
function Listens({ track }: Pick<Props, 'track'>) {
  const [period] = useState(() => lastDays(DAYS))
  const { data } = useData(TrackListensDocument, { id: track.id, ...toRange(period) })
  if (!data) return null
  const days = fillDays(data.usage, period)
  const count = days.reduce((sum, { listens }) => sum + listens, 0)
  return (
    <>
      <p className="track-listens">
        {count > 0 && <Sparkline values={days.map(({ listens }) => listens)} />}
        <Link href="/usage">
          {count === 1 ? t('library.oneListen') : t('library.listens', { count: formatNumber(count) })}
        </Link>
      </p>
      <RetentionCurve track={track} retention={data.retention} />
    </>
  )
}

/** The chapters. Each plays from its start. */
function Chapters({ track, file }: { track: Track; file: PlayableFile | undefined }) {
  const playback = usePlayback()
  if (track.chapters.length === 0) return null
  // A chapter is a place of the whole recording, and the file may be a part of it.
  const play = (file: PlayableFile, startSeconds: number) =>
    playback.playAt({ ...toPlayed(track), fileId: file.id }, Math.max(0, startSeconds - (findPart(file)?.start ?? 0)))
  return (
    <section>
      <h2>{t('listen.chapters')}</h2>
      <ol className="entries" aria-label={t('listen.chapters')}>
        {track.chapters.map(({ startSeconds, title }) => (
          <li key={startSeconds} className="track-chapter">
            <span className="chapter-start">{formatClock(startSeconds)}</span>
            {file ? (
              <Button kind="bare" onPress={() => play(file, startSeconds)}>
                {title}
              </Button>
            ) : (
              <span>{title}</span>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
