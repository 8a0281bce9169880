import { isbot } from 'isbot'

/** Why a request is not a listen, as stored in the ledger. */
export type Exclusion = 'bot' | 'prefetch' | 'probe'

/** Parts of a request that can exclude it. Null for an absent header. */
export interface Hints {
  range: string | null
  /** Sec-Purpose, or one of the older headers that it replaces. */
  purpose: string | null
  /** Whether the method is HEAD. */
  isHead: boolean
}

/** Ranges up to this size are probes: an eighth of a second at 64 kbit/s. */
const PROBE_BYTES = 1024

/** One range with an end, or the last bytes of a file. */
const BOUNDED_RANGE = /^\s*bytes\s*=\s*(?:(\d{1,15})-(\d{1,15})|-(\d{1,15}))\s*$/i

/**
 * Returns why a request is not a listen: a prefetch, or a probe of a few bytes. A longer range from the middle is a
 * listener who continues. Null for a possible listen.
 */
export function findExclusion({ range, purpose, isHead }: Hints): Exclusion | null {
  if (purpose !== null && /prefetch|preview/i.test(purpose)) return 'prefetch'
  if (isHead) return 'probe'
  const [, first, last, suffix] = (range !== null && BOUNDED_RANGE.exec(range)) || []
  if (last !== undefined && Number(last) - Number(first) < PROBE_BYTES) return 'probe'
  return suffix !== undefined && Number(suffix) <= PROBE_BYTES ? 'probe' : null
}

/** Players that isbot takes for bots, by the start of the user agent. */
const PLAYERS =
  /^(castbox|castro|deezer|foobar2000|gstreamer|itunes|lavf|libmpv|mpv|overcast|pocket ?casts|podcast addict|sonos|spotify|winamp)\b/i

/** An Apple Watch, whose downloads repeat those of its phone (IAB Podcast Measurement 2.2). */
const WATCH = /^atc\/.*watchos/i

/** Whether a user agent is no listener: a bot by the list of the package isbot, or a watch. Players are not bots. */
export const isBotAgent = (userAgent: string): boolean =>
  WATCH.test(userAgent) || (!PLAYERS.test(userAgent) && isbot(userAgent))
