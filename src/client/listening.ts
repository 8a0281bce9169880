/** Time between two reports while the sound plays. */
const REPORT_MS = 60_000
/** Ranges of a report, as the service accepts them. */
const MAX_RANGES = 100

interface PrivacyChoice {
  doNotTrack?: string | null
  globalPrivacyControl?: boolean
}

/** Whether the listener has asked sites not to follow them, by Global Privacy Control or Do Not Track. */
const declines = ({ doNotTrack, globalPrivacyControl }: PrivacyChoice) => doNotTrack === '1' || globalPrivacyControl

/** The longest ranges that were played, as `0-41.5,60-75`. */
function writePlayed({ played }: HTMLMediaElement): string {
  const ranges = Array.from({ length: played.length }, (_, at) => [played.start(at), played.end(at)] as const)
  return ranges
    .map(([from, to]) => [Math.round(from * 10), Math.round(to * 10)] as const)
    .filter(([from, to]) => from < to)
    .sort(([a, b], [c, d]) => d - c - (b - a))
    .slice(0, MAX_RANGES)
    .map(([from, to]) => `${from / 10}-${to / 10}`)
    .join()
}

/**
 * Reports which parts of a track an audio element plays: every minute, when it pauses or ends, and when the page is hidden or
 * closed. Reports have no cookie. Nothing is sent for a listener who has asked sites not to follow them.
 * @param audio plays the whole recording. It may load its file again
 * @param url `listening_url` of a playback. Null: the player is not in the sample
 * @returns a function that sends the rest and ends this. Call it before the element plays another recording
 * @example
 * ```ts
 * const end = followListening(audio, playback.listening_url)
 * ```
 */
export function followListening(audio: HTMLMediaElement, url: string | null): () => void {
  if (url === null || declines(navigator as PrivacyChoice)) return () => {}
  let ranges = ''
  let lastReport = ''
  let reportedAt = performance.now()
  let hasEnded = false

  function report(): void {
    if (hasEnded || ranges === lastReport) return
    lastReport = ranges
    reportedAt = performance.now()
    // A page that closes does not end it.
    const options = { method: 'POST', keepalive: true, credentials: 'omit', referrerPolicy: 'no-referrer' } as const
    fetch(`${url}?ranges=${ranges}`, options).then(
      ({ ok, status }) => {
        if (!ok) lastReport = ''
        if (status === 400 || status === 404) hasEnded = true
      },
      // The next report has these ranges, too.
      () => (lastReport = ''),
    )
  }

  function note(): void {
    // Empty as soon as the element loads another sound.
    ranges = writePlayed(audio) || ranges
    if (performance.now() - reportedAt >= REPORT_MS) report()
  }
  const noteAndReport = () => {
    note()
    report()
  }
  /** Browsers hide a page before they close it. */
  const onHidden = () => document.visibilityState === 'hidden' && noteAndReport()

  // An element forgets its ranges when it loads a file.
  const handlers = { timeupdate: note, pause: noteAndReport, ended: noteAndReport, emptied: report }
  for (const [name, handler] of Object.entries(handlers)) audio.addEventListener(name, handler)
  document.addEventListener('visibilitychange', onHidden)

  return function end(): void {
    report()
    hasEnded = true
    for (const [name, handler] of Object.entries(handlers)) audio.removeEventListener(name, handler)
    document.removeEventListener('visibilitychange', onHidden)
  }
}
