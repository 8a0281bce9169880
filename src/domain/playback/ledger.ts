import { arrayText, nullableText } from './array-text.ts'
import type { Exclusion } from './exclusion.ts'
import type { Link } from './links.ts'
import type { Listener } from './listener.ts'

/** A play request to record. */
export interface Play {
  /** ID of its row. */
  id: string
  link: Link
  listener: Listener
  referrerHost: string | null
  exclusion: Exclusion | null
}

/**
 * Writes a ledger row for each play, unless a link has changed since a snapshot. One statement is one commit. The function
 * is defined by a migration; its settings keep the plan right for tables that are still empty (decision 0019).
 */
export const RECORD_PLAYS = {
  name: 'record_plays',
  text: `SELECT snapshot, changes
         FROM ledger.record_plays($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
}

/**
 * The parameters of the statement for a batch. Equal links and plays are sent once.
 * @param since snapshot in which the links were valid
 * @returns also the number of kinds
 */
export function recordingValues(
  plays: readonly Play[],
  since: string,
  now: Date,
): { values: unknown[]; kinds: number } {
  const [links, kinds] = [numbering<Link, Link>(), numbering<string, Play & { pair: number }>()]
  const kindOf: number[] = []
  for (const play of plays) {
    const { link } = play
    const pair = links.place(link, () => link)
    const kind = `${pair} ${play.listener.number} ${play.exclusion} ${play.referrerHost}`
    kindOf.push(kinds.place(kind, () => ({ ...play, pair })))
  }
  const values = [
    since,
    arrayText(links.first.map(({ share }) => share.keyId)),
    arrayText(links.first.map(({ share }) => share.organizationId)),
    arrayText(links.first.map(({ trackId }) => trackId)),
    arrayText(links.first.map(({ share }) => share.variantId)),
    arrayText(links.first.map(({ collectionId }) => collectionId)),
    nullableText(links.first.map(({ creatorId }) => creatorId)),
    arrayText(kinds.first.map(({ pair }) => pair)),
    arrayText(kinds.first.map(({ listener }) => listener.today)),
    arrayText(kinds.first.map(({ listener }) => listener.before)),
    nullableText(kinds.first.map(({ referrerHost }) => referrerHost)),
    nullableText(kinds.first.map(({ exclusion }) => exclusion)),
    arrayText(kinds.first.map(({ id }) => id)),
    arrayText(plays.map(({ id }) => id)),
    arrayText(kindOf),
    now,
  ]
  return { values, kinds: kinds.first.length }
}

/** Numbers names from 1, in the order of their first appearance, and keeps the first value of each. */
function numbering<K, T>() {
  const places = new Map<K, number>()
  const first: T[] = []
  return {
    first,
    place(name: K, make: () => T): number {
      const known = places.get(name)
      if (known !== undefined) return known
      places.set(name, first.push(make()))
      return first.length
    },
  }
}
