import { arrayText, nullableText } from './array-text.ts'
import type { Exclusion } from './exclusion.ts'
import type { ListenerIdentity } from './listener.ts'
import type { ListenerApp } from './listener-app.ts'

/** Properties of a listener in the ledger, beyond the pseudonym. */
export interface Audience extends ListenerApp {
  /** ISO 3166-1 alpha-2. */
  country: string | null
}

/** A play request to record. */
export interface Play {
  /** ID of its row. */
  id: string
  /** Hash of the share key. */
  hash: string
  trackId: string
  listener: ListenerIdentity
  referrerHost: string | null
  /** App, device and country of the listener. Absent when they are not kept. */
  audience?: Audience
  /** Host of another site whose page asks. */
  site: string | null
  exclusion: Exclusion | null
  /** Whether the limits of the key have admitted it (admission.ts). */
  isAdmitted?: boolean
}

/** An open pair of share key and track. */
export interface OpenedPair {
  /** Position of the pair, from 1. */
  pair: number
  /** Of the file, without a leading slash. */
  path: string
  /** Of the organization's delivery addresses. */
  domain: string
  /** Signs those addresses. As stored. */
  secret: string
  /** The share key, if its last use was more than an hour ago. */
  dueKeyId: string | null
}

/**
 * Opens stream links and writes a ledger row for each play of an open one. One statement is one commit. The settings of the
 * function keep its plan right for tables that are still empty (decision 0012).
 */
export const RECORD_PLAYS = {
  name: 'record_plays',
  text: `SELECT pair, path, domain, secret, due_key_id AS "dueKeyId"
         FROM ledger.record_plays($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
}

/** The parameters of the statement for a batch. Equal keys, pairs and plays are sent once. */
export interface PlayRecording {
  values: unknown[]
  /** Position of the pair of each play, from 1. */
  pairs: number[]
  /** Number of plays that differ in more than their IDs. */
  kinds: number
}

/** A key as the functions of the ledger take it: with the site that asks, and whether its limits were asked. */
export const toKeyText = ({ hash, site, isAdmitted = false }: Pick<Play, 'hash' | 'site' | 'isAdmitted'>): string =>
  `${isAdmitted ? '+' : ''}${site === null ? hash : `${hash} ${site}`}`

/** Where a play comes from, as `record_plays` takes it: no part has a bar. */
const toOriginText = ({ referrerHost, audience }: Pick<Play, 'referrerHost' | 'audience'>): string | null =>
  audience ? [referrerHost, audience.app, audience.device, audience.country].join('|') : referrerHost

/** @param now time of the plays */
export function toPlayRecording(plays: readonly Play[], now: Date): PlayRecording {
  const keys = numbering<string>()
  const distinctPairs = numbering<{ key: number; trackId: string }>()
  const kinds = numbering<Play & { pair: number }>()
  const [pairs, kindOfPlays]: [number[], number[]] = [[], []]
  for (const play of plays) {
    const { trackId, listener, exclusion } = play
    const key = toKeyText(play)
    const pair = distinctPairs.place(trackId + key, () => ({ key: keys.place(key, () => key), trackId }))
    pairs.push(pair)
    const kind = `${pair} ${listener.number} ${exclusion} ${toOriginText(play)}`
    kindOfPlays.push(kinds.place(kind, () => ({ ...play, pair })))
  }
  const values = [
    arrayText(keys.first),
    arrayText(distinctPairs.first.map(({ key }) => key)),
    arrayText(distinctPairs.first.map(({ trackId }) => trackId)),
    arrayText(kinds.first.map(({ pair }) => pair)),
    arrayText(kinds.first.map(({ listener }) => listener.today)),
    arrayText(kinds.first.map(({ listener }) => listener.before)),
    nullableText(kinds.first.map(toOriginText)),
    nullableText(kinds.first.map(({ exclusion }) => exclusion)),
    arrayText(kinds.first.map(({ id }) => id)),
    arrayText(plays.map(({ id }) => id)),
    arrayText(kindOfPlays),
    now,
  ]
  return { values, pairs, kinds: kinds.first.length }
}

/** Numbers names from 1, in the order of their first appearance, and keeps the first value of each. */
function numbering<T>() {
  const places = new Map<string, number>()
  const first: T[] = []
  return {
    first,
    place(name: string, make: () => T): number {
      const number = places.get(name)
      if (number !== undefined) return number
      places.set(name, first.push(make()))
      return first.length
    },
  }
}
