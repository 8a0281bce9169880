import { arrayText, nullableText } from './array-text.ts'
import { type Play, toKeyText } from './ledger.ts'

/** The limit of a share key that refuses a play. */
export const refusals = ['country', 'password', 'plays', 'listeners', 'concurrent'] as const
export type Refusal = (typeof refusals)[number]

/** A play whose share key may have limits. */
export interface LimitedPlay extends Play {
  /** Of the client, ISO 3166-1 alpha-2. Null if unknown. */
  country: string | null
  /** Name of the password that the client has given for the key. Null without one. */
  password: string | null
}

/** The decision of a share key's limits about a play. */
export interface Admission {
  /** Position of the play, from 1. */
  place: number
  /** Null for an admitted play. */
  refusal: Refusal | null
}

/** Decides about plays and counts those that are admitted. No row for a play whose link is not open, or has no limits. */
export const ADMIT_PLAYS = {
  name: 'admit_plays',
  text: 'SELECT place, refusal FROM ledger.admit_plays($1, $2, $3, $4, $5, $6, $7)',
}

/** The parameters of the statement. @param now time of the plays */
export const toAdmissionValues = (plays: readonly LimitedPlay[], now: Date): unknown[] => [
  arrayText(plays.map((play) => `"${toKeyText(play)}"`)),
  arrayText(plays.map(({ trackId }) => trackId)),
  arrayText(plays.map(({ listener }) => listener.today)),
  arrayText(plays.map(({ listener }) => listener.before)),
  nullableText(plays.map(({ country }) => country)),
  nullableText(plays.map(({ password }) => password)),
  now,
]
