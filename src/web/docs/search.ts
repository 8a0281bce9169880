/** A part of a page that the search finds. */
export interface SearchEntry {
  /** Title of the page. */
  page: string
  /** Heading of the part; the title for the beginning of a page. */
  title: string
  address: string
  text: string
}

const MAX_RESULTS = 12
const EXCERPT_LENGTH = 130

/** The words that a person searches for, in lower case. */
export const splitQuery = (query: string): string[] => query.toLowerCase().split(/\s+/).filter(Boolean)

/** Finds the parts that have all words, those with words in their headings first. */
export function searchEntries(entries: SearchEntry[], query: string): SearchEntry[] {
  const words = splitQuery(query)
  if (words.length === 0) return []
  const ranked = entries.map((entry) => ({ entry, rank: rankEntry(entry, words) })).filter(({ rank }) => rank > 0)
  return ranked
    .sort((a, b) => b.rank - a.rank)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry)
}

/** 0 for a part that lacks a word. */
function rankEntry({ page, title, text }: SearchEntry, words: string[]): number {
  const [pageText, titleText, allText] = [page.toLowerCase(), title.toLowerCase(), text.toLowerCase()]
  const ranks = words.map((word) => {
    const begins = (where: string) => where.split(/[^\p{L}\p{N}_]+/u).some((one) => one.startsWith(word))
    if (titleText === word) return 20
    if (begins(titleText)) return 10
    if (titleText.includes(word)) return 6
    if (begins(pageText)) return 4
    if (begins(allText)) return 2
    return allText.includes(word) ? 1 : 0
  })
  return ranks.includes(0) ? 0 : ranks.reduce((sum: number, rank) => sum + rank, 0)
}

/** The text around the first word that it has. */
export function cutExcerpt(text: string, query: string): string {
  const lower = text.toLowerCase()
  const places = splitQuery(query)
    .map((word) => lower.indexOf(word))
    .filter((place) => place >= 0)
  const wordStart = places.length > 0 ? Math.min(...places) : 0
  const start = wordStart < 40 ? 0 : text.indexOf(' ', wordStart - 40) + 1
  const end = start + EXCERPT_LENGTH
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
}

/** Splits a text at the words of a query; every second part is one of them. */
export function splitMatches(text: string, query: string): string[] {
  const words = splitQuery(query).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return words.length > 0 ? text.split(new RegExp(`(${words.join('|')})`, 'gi')) : [text]
}
