import { isbot } from 'isbot'

/** What is known of a request before the ledger is asked, in the words of the ledger. */
export type Exclusion = 'bot' | 'prefetch' | 'probe'

/** What a request says of itself. Headers as they came; null where they did not. */
export interface Hints {
  range: string | null
  /** Of Sec-Purpose, and what browsers sent before there was one. */
  purpose: string | null
  /** Asked with HEAD. */
  isHead: boolean
}

/** Nobody hears so little: at 64 kbit/s an eighth of a second. */
const PROBE_BYTES = 1024

/** One range with an end, or the last bytes of a file. Several ranges are no player's. */
const BOUNDED_RANGE = /^\s*bytes\s*=\s*(?:(\d{1,15})-(\d{1,15})|-(\d{1,15}))\s*$/i

/**
 * Why a request is no listen by what it says of itself: it fetches ahead, or it asks for so little that nobody listens.
 * A range from the middle is somebody who goes on listening.
 */
export function exclusionOf({ range, purpose, isHead }: Hints): Exclusion | null {
  if (purpose !== null && /prefetch|preview/i.test(purpose)) return 'prefetch'
  if (isHead) return 'probe'
  const [, first, last, suffix] = (range !== null && BOUNDED_RANGE.exec(range)) || []
  if (last !== undefined && Number(last) - Number(first) < PROBE_BYTES) return 'probe'
  return suffix !== undefined && Number(suffix) <= PROBE_BYTES ? 'probe' : null
}

/** Players whose user agent the list takes for a program's, by the name that it begins with. */
const PLAYERS =
  /^(castbox|castro|deezer|foobar2000|gstreamer|itunes|lavf|libmpv|mpv|overcast|pocket ?casts|podcast addict|sonos|spotify|winamp)\b/i

/** Whether a user agent is a program's that is no player, by the list of the package isbot. */
export const isBotAgent = (userAgent: string): boolean => !PLAYERS.test(userAgent) && isbot(userAgent)
