import type { GraphQLField } from 'graphql'
import { MAX_PAGE } from './page-size.ts'

/** Price of a field of the schema. Stated in its extensions; what a field does not state has the safe default. */
export interface Price {
  /** Points of the field itself, in addition to its objects. Defaults to 0, of a value to 1/20. */
  points?: number
  /** Maximum number of items of a list without pages, or its usual number where there is no maximum. Defaults to 200. */
  items?: number
  /** The number of items by the arguments of the field, where they state it. */
  itemsByArguments?: (args: Readonly<Record<string, unknown>>) => number
  /** Points of `totalCount` without a filter, of a connection. Defaults to 100. */
  count?: number
  /** Points by the arguments of the field, in addition. The values of variables are in them. */
  byArguments?: (args: Readonly<Record<string, unknown>>) => number
  /** Whether a value may be so long that it is refused in a list of lists. Defaults to false; of JSON without a price to true. */
  isLong?: boolean
}

/** Prices in points. One point is 4 to 14 µs of the process, or 50 to 75 µs of the database (decision 0052). */
export const points = {
  object: 1,
  value: 1 / 20,
  /** An address or a cursor, which is signed for each answer: 3 µs. */
  signed: 1 / 2,
  /** A value of JSON that states no price. */
  json: 64,
  /** Rows of a list that match a filter: a scan if few do. */
  filter: 200,
  count: 100,
  filteredCount: 1000,
  mutation: 10,
} as const

/** Items of a list that states no number. */
export const DEFAULT_ITEMS = MAX_PAGE

/** Bytes of the longest value of a text for one point: texts are mostly far shorter, and the rest is charged when read. */
const BYTES_OF_POINT = 8192
/** Longest value of a text that may be in a list of lists. */
const MAX_NESTED_BYTES = 1 << 16

/** The price of a text by the length of its longest value. Short ones cost the same as any value. */
export function priceOfText(maxBytes: number | undefined): Price | undefined {
  if (maxBytes === undefined || maxBytes < BYTES_OF_POINT) return undefined
  return { points: Math.ceil(maxBytes / BYTES_OF_POINT), isLong: maxBytes > MAX_NESTED_BYTES }
}

/** Options of a field with its price. */
export const withPrice = <T extends object>(options: T, price: Price): T & { extensions: { price: Price } } => ({
  ...options,
  extensions: { ...(options as { extensions?: object }).extensions, price },
})

/** Options of the field of a signed address or cursor. */
export const signedPrice = { extensions: { price: { points: points.signed } } }

/** Returns the stated price of a field. */
export const priceOf = ({ extensions }: Pick<GraphQLField<unknown, unknown>, 'extensions'>): Price =>
  (extensions as { price?: Price }).price ?? {}
