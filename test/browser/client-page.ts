// A page of a user of the npm package: it uploads and follows by its upload session, with the React hooks.
import { createClient, followListening } from '@tonearm/client'
import '@tonearm/client/player'
import { usePlayer, useUpload, useUploadSession } from '@tonearm/client/react'
import { type ChangeEvent, createElement, useEffect, useRef } from 'react'
import { createRoot } from 'react-dom/client'

const {
  baseUrl = '',
  session = '',
  share = '',
  sound = '',
  listening = '',
} = Object.fromEntries(new URLSearchParams(location.search))
const tonearm = createClient({ baseUrl })

function App() {
  const { phase, progress, error, start, cancel } = useUpload(tonearm)
  const { tracks } = useUploadSession(tonearm, session)
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? []
    if (file) void start(file, { uploadSessionId: session })
  }
  const items = tracks.map(({ track_id, file_name, track_status_id, progress }) =>
    createElement('li', { key: track_id }, `${file_name} ${track_status_id} ${progress}`),
  )
  return createElement(
    'main',
    null,
    createElement('input', { type: 'file', 'aria-label': 'Recording', onChange }),
    createElement('button', { type: 'button', onClick: cancel }, 'Cancel'),
    createElement('output', null, `${phase} ${progress} ${error?.message ?? ''}`),
    createElement('ul', null, ...items),
  )
}

function Player() {
  const { ref, isPlaying, currentTime, duration, play, pause, seek } = usePlayer()
  return createElement(
    'main',
    null,
    createElement('tonearm-player', { ref, src: share }),
    createElement('button', { type: 'button', onClick: isPlaying ? pause : play }, isPlaying ? 'Stop' : 'Listen'),
    createElement('button', { type: 'button', onClick: () => seek(12) }, 'To second 12'),
    createElement('output', null, `${isPlaying ? 'plays' : 'is silent'} ${Math.floor(currentTime)} of ${duration}`),
  )
}

/** Plays a file of a play session. */
function Recording() {
  const audio = useRef<HTMLAudioElement>(null)
  useEffect(() => (audio.current ? followListening(audio.current, listening) : undefined), [])
  return createElement('audio', { ref: audio, src: sound, controls: true })
}

const Page = sound ? Recording : share ? Player : App
createRoot(document.body.appendChild(document.createElement('div'))).render(createElement(Page))
