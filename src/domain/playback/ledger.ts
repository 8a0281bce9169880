import type { Exclusion } from './exclusion.ts'
import type { Listener } from './listener.ts'

/** A play request to record. */
export interface Play {
  /** ID of its row. */
  id: string
  /** Hash of the share key. */
  hash: string
  trackId: string
  listener: Listener
  referrerHost: string | null
  exclusion: Exclusion | null
}

/** The file of a pair of key and track. */
export interface Row {
  /** Position of the pair, from 1. */
  pair: number
  path: string
  domain: string
  secret: string
  /** ID of the key, if the time of its last use is to be written. */
  dueKeyId: string | null
}

/**
 * Resolves pairs of key and track, and writes a ledger row for each play of a valid pair. One statement is one commit,
 * so every returned file has been counted. The function is defined by a migration; its settings keep the plan right for
 * tables that are still empty (decision 0019).
 */
export const RESOLVE_AND_COUNT = {
  name: 'resolve_and_count',
  text: `SELECT pair, path, domain, secret, due_key_id AS "dueKeyId"
         FROM ledger.count_plays($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
}

/** An array literal of PostgreSQL. The values need no quotes, which the driver would add. */
const arrayText = (values: readonly (string | number)[]) => `{${values.join(',')}}`

/** An array literal of nullable texts. They contain no character that needs an escape. */
const nullableText = (values: readonly (string | null)[]) =>
  arrayText(values.map((value) => (value === null ? 'NULL' : `"${value}"`)))

/**
 * The parameters of the statement for a batch. Each distinct key and pair is looked up once.
 * @returns also the position of each play's pair, from 1, and the number of kinds
 */
export function countingValues(
  plays: readonly Play[],
  now: Date,
): { values: unknown[]; pairOf: number[]; kinds: number } {
  const [keys, pairs] = [numbering<string>(), numbering<{ key: number; trackId: string }>()]
  const kinds = numbering<Play & { pair: number }>()
  const pairOf: number[] = []
  const kindOf: number[] = []
  for (const play of plays) {
    const { hash, trackId } = play
    const pair = pairs.place(hash + trackId, () => ({ key: keys.place(hash, () => hash), trackId }))
    pairOf.push(pair)
    const kind = `${pair} ${play.listener.number} ${play.exclusion} ${play.referrerHost}`
    kindOf.push(kinds.place(kind, () => ({ ...play, pair })))
  }
  const values = [
    arrayText(keys.first),
    arrayText(pairs.first.map(({ key }) => key)),
    arrayText(pairs.first.map(({ trackId }) => trackId)),
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
  return { values, pairOf, kinds: kinds.first.length }
}

/** Numbers names from 1, in the order of their first appearance, and keeps the first value of each. */
function numbering<T>() {
  const places = new Map<string, number>()
  const first: T[] = []
  return {
    first,
    place(name: string, make: () => T): number {
      const known = places.get(name)
      if (known !== undefined) return known
      places.set(name, first.push(make()))
      return first.length
    },
  }
}
