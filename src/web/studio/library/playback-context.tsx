import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import { useRun } from '../api.ts'
import { TrackSoundDocument } from '../generated/operations.ts'
import { findMusicColor } from './music-color.ts'
import { cutLevels, findPart } from './part.ts'
import { computeLength, playable } from './playable.ts'
import { createPlayback, type Playback, type PlayedSound } from './playback.ts'

const PlaybackContext = createContext<Playback | null>(null)

/** The sound that plays. It continues while a person moves between the parts of the studio. */
export function PlaybackProvider({ children }: { children: ReactNode }) {
  const run = useRun()
  const [playback] = useState(() =>
    createPlayback(async ({ id, fileId }): Promise<PlayedSound | null> => {
      const { track } = await run(TrackSoundDocument, { id })
      const files = track ? playable(track) : []
      const file = files.find((file) => file.id === fileId) ?? files[0]
      if (!track || !file) return null
      const part = findPart(file)
      const levels = cutLevels(track, part)
      const color = findMusicColor(track)
      return {
        fileId: file.id,
        url: file.url,
        levels,
        length: computeLength(file, track),
        recordingStart: part?.start ?? 0,
        color,
      }
    }),
  )
  // After the sign-out there is no page that shows it.
  useEffect(() => playback.close, [playback])
  return <PlaybackContext value={playback}>{children}</PlaybackContext>
}

export function usePlayback(): Playback {
  const playback = useContext(PlaybackContext)
  if (!playback) throw new Error('the component has no playback')
  return playback
}

/** Follows the player. @param select a part of the state: the component is made again when that changes */
export function usePlaybackState<Part>(select: (state: ReturnType<Playback['read']>) => Part): Part {
  const playback = usePlayback()
  return useSyncExternalStore(playback.subscribe, () => select(playback.read()))
}
