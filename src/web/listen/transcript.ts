import type { Cue } from './cues.ts'
import { clock, find, type Track } from './page.ts'

/** Time for which the list does not follow the sound after a person has scrolled it. */
const PAUSE_MS = 8000

let starts: readonly number[] = []
let current = -1
let position = 0
let scrolledAt = Number.NEGATIVE_INFINITY
/** The track whose cues are read. Those of another one come too late. */
let latest: Track | undefined

/** Shows the transcription of a track: as text, or as a list of cues that follows the sound. */
export async function showTranscript(track: Track, seekTo: (seconds: number) => void): Promise<void> {
  latest = track
  const { transcription, transcriptForm: form, transcriptionLanguage } = track
  const [section, text, list] = [find<HTMLElement>('transcript'), find<HTMLElement>('text'), find<HTMLElement>('cues')]
  section.hidden = !transcription
  section.lang = transcriptionLanguage ?? ''
  const cues =
    transcription && form && form !== 'txt'
      ? await import('./cues.ts').then(({ readCues }) => readCues(transcription, form))
      : []
  if (latest !== track) return
  starts = cues.map(({ startSeconds }) => startSeconds)
  current = -1
  text.hidden = cues.length > 0
  list.hidden = cues.length === 0
  text.textContent = cues.length > 0 ? '' : transcription
  list.replaceChildren(...cues.map((cue, at) => createItem(cue, cues[at - 1]?.speaker ?? '', seekTo)))
  markCue(position)
}

/** A cue is a button that moves to its start. @param speakerBefore of the cue before: a name is shown where it changes */
function createItem({ startSeconds, speaker, text }: Cue, speakerBefore: string, seekTo: (seconds: number) => void) {
  const control = document.createElement('button')
  control.type = 'button'
  control.className = 'cue'
  const time = document.createElement('span')
  time.textContent = clock(startSeconds)
  const said = document.createElement('span')
  said.className = 'said'
  if (speaker && speaker !== speakerBefore) {
    const name = document.createElement('strong')
    name.textContent = speaker
    said.append(name)
  }
  said.append(text)
  control.append(time, said)
  control.addEventListener('click', () => {
    scrolledAt = Number.NEGATIVE_INFINITY
    seekTo(startSeconds)
  })
  const item = document.createElement('li')
  item.append(control)
  return item
}

for (const event of ['wheel', 'touchmove', 'keydown'])
  find('cues').addEventListener(
    event,
    () => {
      scrolledAt = performance.now()
    },
    { passive: true },
  )

/** Marks the cue that is said, and moves it into view unless a person has just scrolled the list. */
export function markCue(now: number): void {
  position = now
  const next = starts.findLastIndex((start) => start <= now)
  if (next === current) return
  const list = find<HTMLElement>('cues')
  list.children[current]?.firstElementChild?.removeAttribute('aria-current')
  current = next
  const item = list.children[next] as HTMLElement | undefined
  item?.firstElementChild?.setAttribute('aria-current', 'true')
  if (!item || performance.now() - scrolledAt < PAUSE_MS) return
  list.scrollTop = item.offsetTop - (list.clientHeight - item.offsetHeight) / 2
}
