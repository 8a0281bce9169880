import { useEffect, useMemo, useRef, useState } from 'react'
import type { Cue } from '../../listen/cues.ts'
import { writeCues } from '../../listen/write-cues.ts'
import { formatClock, t } from '../../strings.ts'
import { useData } from '../api.ts'
import { type TrackDetailFragment as Track, TrackTranscriptDocument } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { CueEditor } from './cue-editor.tsx'
import { toPlayed } from './play-list.tsx'
import { usePlayback, usePlaybackState } from './playback-context.tsx'

/** The transcription of a track: as it was set, or as cues that play and follow the sound if it has times. */
export function Transcript({ track }: { track: Track }) {
  const cues = useCues(track)
  const canWrite = useCanWrite()
  const [isEdited, setEdited] = useState(false)
  const lang = track.transcriptionLanguage ?? undefined
  if (!cues) return null
  if (isEdited) return <CueEditor track={track} cues={cues} lang={lang} onClose={() => setEdited(false)} />
  return cues.length > 0 ? (
    <>
      <Cues track={track} cues={cues} lang={lang} />
      {canWrite && writeCues(cues) === track.transcription && (
        <Button onPress={() => setEdited(true)}>{t('library.correctText')}</Button>
      )}
    </>
  ) : (
    <p className="transcription" lang={lang}>
      {track.transcription}
    </p>
  )
}

/** Null before they are read. Empty for a text without times, or when they cannot be read. */
function useCues({ id }: Track): readonly Cue[] | null {
  const { data, error } = useData(TrackTranscriptDocument, { id })
  const [cues, setCues] = useState<readonly Cue[] | null>(null)
  const transcript = error ? null : data?.track?.transcript
  useEffect(() => {
    if (transcript === undefined) return
    let isLatest = true
    void readTranscript(transcript)
      .catch(() => [])
      .then((cues) => isLatest && setCues(cues))
    return () => {
      isLatest = false
    }
  }, [transcript])
  return cues
}

async function readTranscript(transcript: string | null): Promise<Cue[]> {
  if (transcript === null) return []
  const { readCues } = await import('../../listen/cues.ts')
  return readCues(transcript, 'vtt')
}

function Cues({ track, cues, lang }: { track: Track; cues: readonly Cue[]; lang: string | undefined }) {
  const playback = usePlayback()
  const list = useRef<HTMLOListElement>(null)
  const current = usePlaybackState(({ track: playing, sound, at }) =>
    playing?.id === track.id && sound
      ? cues.findLastIndex(({ startSeconds }) => startSeconds <= at + sound.recordingStart)
      : -1,
  )
  const playedTrack = useMemo(() => toPlayed(track), [track])
  // Made once: an hour of speech has hundreds of cues, and the position changes four times a second.
  const items = useMemo(
    () =>
      cues.map(({ startSeconds, speaker, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a cue is a place in the transcription
        <li key={at}>
          <button type="button" onClick={() => playback.playFrom(playedTrack, startSeconds)}>
            <span className="chapter-start">{formatClock(startSeconds)}</span>
            <span>
              {speaker && speaker !== cues[at - 1]?.speaker && <strong>{speaker}</strong>}
              {text}
            </span>
          </button>
        </li>
      )),
    [cues, playedTrack, playback],
  )
  useEffect(() => {
    const item = list.current?.children[current] as HTMLElement | undefined
    if (!list.current || !item) return
    item.firstElementChild?.setAttribute('aria-current', 'true')
    // A person who reads is not moved away.
    if (!list.current.matches(':hover, :focus-within'))
      list.current.scrollTop = item.offsetTop - (list.current.clientHeight - item.offsetHeight) / 2
    return () => item.firstElementChild?.removeAttribute('aria-current')
  }, [current])
  return (
    <ol ref={list} className="track-cues" aria-label={t('library.transcription')} lang={lang}>
      {items}
    </ol>
  )
}
