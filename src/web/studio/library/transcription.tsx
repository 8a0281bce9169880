import { useEffect } from 'react'
import { formatClock, formatDate, t, textOfCode } from '../../strings.ts'
import { useChange, useData } from '../api.ts'
import {
  CancelTranscriptionDocument,
  type TrackDetailFragment as Track,
  TranscribeTrackDocument,
  TranscriptionQuotaDocument,
} from '../generated/operations.ts'
import { useLastSession } from '../last-session.ts'
import { useCanWrite } from '../role.ts'
import { Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { Transcript } from './transcript.tsx'

type Job = Track['jobs']['edges'][number]['node']

const isUnended = ({ state }: Job) => state === 'QUEUED' || state === 'RUNNING'

interface Props {
  track: Track
  /** Reads the track again. */
  reload: () => Promise<void>
}

/** The transcription of a track, and the speech recognition that writes it. Nothing without either. */
export function Transcription({ track, reload }: Props) {
  const canWrite = useCanWrite()
  const organizationId = useLastSession()?.organizationId ?? ''
  const { data } = useData(TranscriptionQuotaDocument, { organizationId })
  const job = track.jobs.edges.find(({ node }) => node.kind === 'TRANSCRIBE_TRACK')?.node
  const isBusy = job !== undefined && isUnended(job)
  const isSetByPerson = track.transcription !== null && track.transcribedAt === null
  const isReady = track.status === 'READY' || track.status === 'INCOMPLETE'
  const mayOrder = canWrite && isReady && !isBusy && !isSetByPerson && Boolean(data?.organization?.transcriptionQuota)
  if (track.transcription === null && !mayOrder && !isBusy) return null
  return (
    <section>
      <h2>{t('library.transcription')}</h2>
      {isBusy && <Progress track={track} job={job} reload={reload} canWrite={canWrite} />}
      {track.transcribedAt && (
        <p className="quiet">{t('library.transcribedAt', { at: formatDate(track.transcribedAt) })}</p>
      )}
      {track.transcription !== null && <Transcript track={track} />}
      {mayOrder && <Order track={track} job={job} />}
    </section>
  )
}

/** Orders a transcription. Shows why the last one failed. */
function Order({ track, job }: { track: Track; job: Job | undefined }) {
  const { mutate, isPending, error } = useChange(TranscribeTrackDocument)
  const hasText = track.transcription !== null
  return (
    <>
      {!hasText && <p className="quiet">{t('library.transcribeLead')}</p>}
      {job?.state === 'FAILED' && job.error && <p>{textOfCode('reason', job.error, job.error)}</p>}
      <Button onPress={() => mutate({ id: track.id })} isPending={isPending}>
        {t(hasText ? 'library.transcribeAgain' : 'library.transcribe')}
      </Button>
      <Refusal error={error} />
    </>
  )
}

/** Interval of reading the progress: a piece of five minutes takes longer. */
const RELOAD_MS = 3_000

function Progress({ track, job, reload, canWrite }: Props & { job: Job; canWrite: boolean }) {
  const { mutate, isPending, error } = useChange(CancelTranscriptionDocument)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void reload()
    }, RELOAD_MS)
    return () => clearInterval(timer)
  }, [reload])
  const { doneSeconds = 0, recordingSeconds = 0 } = job.transcriptionProgress ?? {}
  const progress = { done: formatClock(doneSeconds), length: formatClock(recordingSeconds) }
  return (
    <div className="remark" role="status">
      <p>{job.state === 'QUEUED' ? t('library.transcriptionQueued') : t('library.transcribing', progress)}</p>
      {job.retryAt && <p className="quiet">{t('library.retryAt', { at: formatDate(job.retryAt) })}</p>}
      {canWrite && (
        <Button onPress={() => mutate({ id: track.id })} isPending={isPending}>
          {t('studio.cancel')}
        </Button>
      )}
      <Refusal error={error} />
    </div>
  )
}
