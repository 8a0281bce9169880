import { useRef, useState } from 'react'
import { Link, useParams } from 'wouter'
import { formatDate, t } from '../../strings.ts'
import { useData, useFollow } from '../api.ts'
import {
  RecordingsDocument,
  type TrackDetailFragment as Track,
  TrackChangeDocument,
  TrackDocument,
} from '../generated/operations.ts'
import { SubjectLinks } from '../link/subject-links.tsx'
import { Answered } from '../ui/answer.tsx'
import { Cover } from '../ui/cover.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { Facts } from './facts.tsx'
import { Files } from './files.tsx'
import { Jobs } from './jobs.tsx'
import { Player } from './player.tsx'
import { Problem } from './problem.tsx'
import { Quality } from './quality.tsx'
import { Recording } from './recording.tsx'
import { Status } from './status.tsx'
import { TrackActions } from './track-actions.tsx'
import { findTitle } from './track-title.ts'

/** A track: its state, sound, files, jobs and everything that a person edits. */
export default function TrackPage() {
  const { id = '' } = useParams()
  const answer = useData(TrackDocument, { id })
  return (
    <Answered of={answer} list={{ path: '/tracks', name: 'studio.tracks' }}>
      {({ track }) =>
        track && <Content key={track.id} track={track} reload={async () => (await answer.refetch()).data?.track} />
      }
    </Answered>
  )
}

interface Props {
  track: Track
  /** Reads the track again. */
  reload: () => Promise<Track | null | undefined>
}

function Content({ track, reload }: Props) {
  const recordings = useData(RecordingsDocument, { id: track.id })
  const progress = useProgress(track, reload, recordings.refetch)
  return (
    <article>
      <header className="head">
        <Cover url={track.coverImage?.small.url} title={findTitle(track)} />
        <div>
          <Link href={`/collection/${track.collection?.id}`}>{track.collection?.title}</Link>
          <PageHeading text={findTitle(track)} />
          <p className="quiet">{track.artist}</p>
          <Status status={track.status} progressPercent={track.progressPercent === null ? null : progress} />
        </div>
      </header>
      <TrackActions track={track} />
      <SubjectLinks trackId={track.id} />
      <Problem track={track} />
      <Player key={track.uploadCompletedAt} track={track} reload={reload} />
      <Facts track={track} />
      <Quality report={track.qualityReport} />
      <Recording track={track} recordings={recordings.data?.track ?? null} reload={reload} />
      <Files track={track} />
      {track.transcription && (
        <section>
          <h2>{t('library.transcription')}</h2>
          <p className="transcription" lang={track.transcriptionLanguage ?? undefined}>
            {track.transcription}
          </p>
        </section>
      )}
      <Jobs jobs={track.jobs.edges.map(({ node }) => node)} />
      <p className="quiet">{t('library.created', { at: formatDate(track.createdAt) })}</p>
    </article>
  )
}

/**
 * Reads the track again when its state changes.
 * @param onRecording called when another recording of the track may have changed
 * @returns the progress of the current run in percent
 */
function useProgress(
  { id, status, progressPercent }: Track,
  reload: () => unknown,
  onRecording: () => unknown,
): number {
  const [progress, setProgress] = useState(progressPercent ?? 0)
  const last = useRef(status)
  useFollow(TrackChangeDocument, { id }, ({ trackChanged }) => {
    setProgress(trackChanged.progressPercent)
    if (trackChanged.isFinal) void onRecording()
    if (trackChanged.status === last.current) return
    last.current = trackChanged.status
    void reload()
  })
  return progress
}
