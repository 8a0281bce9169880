import { useId, useRef, useState } from 'react'
import { formatBytes, formatClock, formatDate, formatNumber, formatReason, t } from '../../strings.ts'
import { useDrop } from '../../upload/drop-zone.tsx'
import { readDrop, recordingTypes } from '../../upload/files.ts'
import { useChange } from '../api.ts'
import {
  CancelReplacementDocument,
  type RecordingsQuery,
  ReplaceRecordingDocument,
  RestoreRecordingDocument,
  type TrackDetailFragment as Track,
} from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { say } from '../ui/notice.tsx'
import { statuses } from '../ui/track-status.tsx'
import { sendRecording, stopRecording, useRecordingUpload } from './recording-upload.ts'

type Recordings = NonNullable<RecordingsQuery['track']>
type Former = Recordings['formerRecordings'][number]

interface Props {
  track: Track
  /** Null until they are read. */
  recordings: Recordings | null
}

/** States in which a recording can be replaced. */
const settled: readonly Track['status'][] = ['READY', 'INCOMPLETE', 'ERROR', 'INIT_ERROR']
const failed: readonly Track['status'][] = ['ERROR', 'INIT_ERROR']

/** Replaces the recording of a track, and restores former ones. */
export function Recording({ track, recordings }: Props) {
  const canWrite = useCanWrite()
  if (!recordings || !(canWrite || recordings.replacement || recordings.formerRecordings.length > 0)) return null
  return (
    <section>
      <h2>{t('recording.title')}</h2>
      {canWrite && settled.includes(track.status) && <Replace track={track} />}
      <Replacement trackId={track.id} replacement={recordings.replacement ?? null} />
      {recordings.formerRecordings.length > 0 && (
        <>
          <h3>{t('recording.former')}</h3>
          <ul className="entries" aria-label={t('recording.former')}>
            {recordings.formerRecordings.map((former) => (
              <FormerRow key={former.id} trackId={track.id} former={former} />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

/** Takes the new recording by a button, or by drag and drop onto it. */
function Replace({ track }: { track: Track }) {
  const input = useRef<HTMLInputElement>(null)
  const hint = useId()
  const zone = useRef<HTMLDivElement>(null)
  const { mutateAsync, isPending, error } = useChange(ReplaceRecordingDocument)
  const take = (file: File | undefined) => {
    if (!file) return
    void sendRecording(track.id, file, async () => {
      const variables = { trackId: track.id, fileName: file.name, fileSize: file.size }
      const { uploadUrl, partsUrl, ttl, expiresAt } = (await mutateAsync(variables)).replaceRecording.trackUpload
      return { method: 'PUT', upload_url: uploadUrl, parts_url: partsUrl ?? undefined, ttl, expires_at: expiresAt }
    })
  }
  const isOver = useDrop(
    (target) => target instanceof Node && zone.current?.contains(target) === true,
    (data) => void readDrop(data).then(({ files }) => take(files[0]?.file)),
  )
  return (
    <div ref={zone} className={isOver ? 'drop over' : 'drop'}>
      <Button onPress={() => input.current?.click()} isPending={isPending}>
        {t('recording.replace')}
      </Button>
      <p id={hint} className="quiet">
        {t('recording.hint')}
      </p>
      <input
        ref={input}
        type="file"
        hidden
        aria-describedby={hint}
        accept={recordingTypes}
        onChange={({ target }) => {
          take(target.files?.[0])
          // The same file may be chosen again.
          target.value = ''
        }}
      />
      <Refusal error={error} />
    </div>
  )
}

/** The new recording that is on its way, or that could not be used. */
function Replacement({ trackId, replacement }: { trackId: string; replacement: Recordings['replacement'] }) {
  const canWrite = useCanWrite()
  const upload = useRecordingUpload(trackId)
  const { mutate, isPending, error } = useChange(CancelReplacementDocument)
  if (!replacement) return null
  const isFailed = failed.includes(replacement.status) || Boolean(upload?.problem)
  const cancel = () => {
    stopRecording(trackId)
    mutate({ trackId })
  }
  const percent = upload ? upload.percent : replacement.status === 'INITIALIZED' ? null : replacement.progressPercent
  const state = upload ? t('recording.sending') : t(statuses[replacement.status])
  const reason = formatReason(replacement)
  return (
    <div className={isFailed ? 'failure' : 'remark'} role="status" aria-label={t('recording.new')}>
      <p>
        <strong>{replacement.fileName}</strong>{' '}
        {isFailed
          ? t('recording.failed')
          : `${state}${percent === null ? '' : ` ${formatNumber(percent / 100, { style: 'percent' })}`}`}
      </p>
      {(upload?.problem || reason) && <p>{upload?.problem ?? reason}</p>}
      {!isFailed && <p className="quiet">{t('recording.plays')}</p>}
      {canWrite && (
        <Button onPress={cancel} isPending={isPending}>
          {t(isFailed ? 'recording.dismiss' : 'studio.cancel')}
        </Button>
      )}
      <Refusal error={error} />
    </div>
  )
}

function FormerRow({ trackId, former }: { trackId: string; former: Former }) {
  const canWrite = useCanWrite()
  const [isOpen, setOpen] = useState(false)
  const { mutate, isPending, error } = useChange(RestoreRecordingDocument)
  const restore = () =>
    mutate(
      { trackId, recordingId: former.id },
      {
        onSuccess: () => {
          setOpen(false)
          say(t('recording.restored', { name: former.fileName }))
        },
      },
    )
  const length = former.duration == null ? '' : `${formatClock(former.duration)}, `
  return (
    <li>
      <span className="former">
        <strong>{former.fileName}</strong>
        <small>
          {length}
          {formatBytes(former.sourceBytes)}.{' '}
          {t('recording.dates', { at: formatDate(former.replacedAt), until: formatDate(former.restorableUntil) })}
        </small>
      </span>
      {canWrite && <Button onPress={() => setOpen(true)}>{t('recording.restore')}</Button>}
      <Confirm
        title={t('recording.restore')}
        text={t('recording.restoreText', { name: former.fileName })}
        label={t('recording.restore')}
        isOpen={isOpen}
        isBusy={isPending}
        error={error}
        onConfirm={restore}
        onClose={() => setOpen(false)}
      />
    </li>
  )
}
