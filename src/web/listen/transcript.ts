import type { Cue } from './cues.ts'
import { keepValue, readKept } from './kept-values.ts'
import { clock, find, type Track, type TranscriptForm } from './page.ts'

/** Time for which the list does not follow the sound after a person has scrolled it. */
const PAUSE_MS = 8000

let starts: readonly number[] = []
let current = -1
let position = 0
let scrolledAt = Number.NEGATIVE_INFINITY
/** The text that is shown, or about to be. One that arrives after another was chosen is left out. */
let latest: Transcript | undefined

/** A text of what is said. */
interface Transcript {
  /** BCP 47 tag. Null if unknown. */
  language: string | null
  form: TranscriptForm
  load: () => Promise<string>
}

const KEPT_LANGUAGE = 'language'

/** The transcription, then its translations. */
function listTranscripts({ transcription, transcriptForm, transcriptionLanguage, translations }: Track): Transcript[] {
  const original = transcription && transcriptForm
  return [
    ...(original ? [{ language: transcriptionLanguage, form: transcriptForm, load: async () => transcription }] : []),
    ...translations.map(({ path, ...transcript }) => ({
      ...transcript,
      load: async () => {
        const answer = await fetch(path)
        if (!answer.ok) throw new Error(`the transcript answered ${answer.status}`)
        return answer.text()
      },
    })),
  ]
}

/**
 * The one in the language that was chosen before; else the first, which is the transcription, unless the listener reads only
 * another: then the one in the most preferred language.
 */
function chooseTranscript(transcripts: readonly Transcript[]): Transcript | undefined {
  const keptLanguage = readKept(KEPT_LANGUAGE)
  const chosen = transcripts.find(({ language }) => language !== null && language === keptLanguage)
  if (chosen) return chosen
  const [first] = transcripts
  const primary = (tag: string) => tag.split('-')[0]?.toLowerCase()
  const isIn = (preferred: string) => (transcript?: Transcript) =>
    transcript?.language != null && primary(transcript.language) === primary(preferred)
  if (first?.language == null || navigator.languages.some((preferred) => isIn(preferred)(first))) return first
  return navigator.languages.flatMap((preferred) => transcripts.filter(isIn(preferred)))[0] ?? first
}

/** The name of a language in itself. */
function nameLanguage(tag: string): string {
  try {
    return new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}

/** Shows what is said in a track: as text, or as a list of cues that follows the sound. */
export function showTranscript(track: Track, seekTo: (seconds: number) => void): void {
  const transcripts = listTranscripts(track)
  const chosen = chooseTranscript(transcripts)
  const choice = find<HTMLSelectElement>('language')
  find<HTMLElement>('transcript').hidden = !chosen
  find<HTMLElement>('languages').hidden = transcripts.length < 2
  const names = transcripts.map(({ language }) => (language ? nameLanguage(language) : choice.dataset.original))
  choice.replaceChildren(...names.map((name, at) => new Option(name, String(at), false, transcripts[at] === chosen)))
  choice.onchange = () => {
    const transcript = transcripts[Number(choice.value)]
    if (!transcript) return
    keepValue(KEPT_LANGUAGE, transcript.language)
    void showText(transcript, seekTo)
  }
  latest = undefined
  if (chosen) void showText(chosen, seekTo)
}

async function showText(transcript: Transcript, seekTo: (seconds: number) => void): Promise<void> {
  latest = transcript
  const { language } = transcript
  const content = await readContent(transcript).catch(() => null)
  if (latest !== transcript) return
  const cues = content?.cues ?? []
  const [text, list] = [find<HTMLElement>('text'), find<HTMLElement>('cues')]
  find<HTMLElement>('transcript').lang = language ?? ''
  starts = cues.map(({ startSeconds }) => startSeconds)
  current = -1
  text.hidden = cues.length > 0
  list.hidden = cues.length === 0
  text.textContent = cues.length > 0 ? '' : (content?.words ?? text.dataset.failed ?? '')
  list.replaceChildren(...cues.map((cue, at) => createItem(cue, cues[at - 1]?.speaker ?? '', seekTo)))
  markCue(position)
}

/** @throws Error when the text or its reader cannot be loaded */
async function readContent({ form, load }: Transcript): Promise<{ words: string; cues: Cue[] }> {
  const words = await load()
  if (form === 'txt') return { words, cues: [] }
  const { readCues } = await import('./cues.ts')
  return { words, cues: await readCues(words, form) }
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
