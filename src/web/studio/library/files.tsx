import { AudioLines, FileAudio, type IconNode, Image, Pause, Play } from 'lucide'
import { Icon } from '../../design/icon.tsx'
import { formatBytes, formatReason, type TextName, t } from '../../strings.ts'
import { useChange } from '../api.ts'
import {
  type TrackFileRowFragment as File,
  RebuildTrackDocument,
  type TrackDetailFragment as Track,
  type VariantType,
} from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { describeFile } from '../variant/settings.ts'
import { toPlayed } from './play-list.tsx'
import { computeLength, isSound, playable } from './playable.ts'
import { usePlayback, usePlaybackState } from './playback-context.tsx'

const states: Record<Exclude<File['state'], 'DONE'>, TextName> = {
  FAILED: 'library.error',
  PROCESSING: 'library.processing',
  QUEUED: 'library.queued',
}
const icons: Record<VariantType, IconNode> = {
  TRANSCODE: FileAudio,
  PREVIEW: FileAudio,
  ADAPTIVE: FileAudio,
  ORIGINAL: FileAudio,
  LEVELS: AudioLines,
  WAVEFORM_IMAGE: Image,
  WAVEFORM_VIDEO: Image,
  COVER: Image,
}

/** The file of each variant. */
export function Files({ track }: { track: Track }) {
  const { mutate, isPending, error } = useChange(RebuildTrackDocument)
  const canRebuild = useCanWrite() && track.progressPercent === null && track.uploadCompletedAt !== null
  const rebuild = (variantIds?: string[]) => mutate({ id: track.id, variantIds })
  const playableIds = new Set(playable(track).map(({ id }) => id))
  const bytes = track.files.reduce((sum, { size }) => sum + (size ?? 0), 0)
  return (
    <section>
      <div className="section-head">
        <h2>{t('library.files')}</h2>
        {bytes > 0 && <span className="quiet">{formatBytes(bytes)}</span>}
        {canRebuild && track.files.length > 0 && (
          <Button onPress={() => rebuild()} isPending={isPending}>
            {t('library.rebuildAll')}
          </Button>
        )}
      </div>
      {track.files.length === 0 && <p className="quiet">{t('library.noFiles')}</p>}
      <ul className="entries" aria-label={t('library.files')}>
        {track.files.map((file) => (
          <li key={file.id} className="track-file">
            {playableIds.has(file.id) ? (
              <PlayFile track={track} file={file} />
            ) : (
              <Icon of={icons[file.variant.variantTypeId]} />
            )}
            <FileName file={file} />
            <FileSize file={file} duration={track.duration} />
            {file.url && <a href={file.url}>{t('library.openFile')}</a>}
            {canRebuild && (file.isStale || file.state === 'FAILED') && (
              <Button onPress={() => rebuild([file.variant.id])} isPending={isPending}>
                {t(file.isStale ? 'library.rebuild' : 'studio.retry')}
              </Button>
            )}
            {file.statusText && <p>{formatReason(file)}</p>}
          </li>
        ))}
      </ul>
      <Refusal error={error} />
    </section>
  )
}

const describe = ({ props, variant: { variantTypeId } }: File) => describeFile({ props, variantTypeId })

function FileName({ file }: { file: File }) {
  const { name, details } = describe(file)
  return (
    <span className="file-name">
      <strong>{name}</strong>
      <small>
        <span>{file.variant.index}</span>
        {details && ` · ${details}`}
      </small>
    </span>
  )
}

/** The size, and the state of a file that is not ready or out of date. */
function FileSize({ file, duration }: { file: File; duration: number | null }) {
  const { state, isStale, size } = file
  const seconds = isSound(file) ? computeLength(file, { duration }) : 0
  return (
    <>
      {state !== 'DONE' && <span className={`status ${state === 'FAILED' ? 'bad' : 'busy'}`}>{t(states[state])}</span>}
      {state === 'DONE' && isStale && <span className="status busy">{t('library.stale')}</span>}
      {size !== null && (
        <span className="file-size">
          {formatBytes(size)}
          {seconds > 0 && <small>{t('library.perMinute', { size: formatBytes((size * 60) / seconds) })}</small>}
        </span>
      )}
    </>
  )
}

/** Plays a certain file in the player at the foot, or pauses it. */
function PlayFile({ track, file }: { track: Track; file: File }) {
  const playback = usePlayback()
  const isPlaying = usePlaybackState(({ track: playedTrack, sound, isPlaying }) => {
    const fileId = sound?.fileId ?? playedTrack?.fileId
    return isPlaying && playedTrack?.id === track.id && fileId === file.id
  })
  const title = describe(file).name
  const played = { ...toPlayed(track), fileId: file.id }
  return (
    <Button
      kind="bare"
      aria-label={t(isPlaying ? 'library.pauseTrack' : 'library.playTrack', { title })}
      onPress={() => playback.play(played, [played])}
    >
      <Icon of={isPlaying ? Pause : Play} />
    </Button>
  )
}
