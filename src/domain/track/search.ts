import type { Prisma } from '../../platform/db/generated/client/client.ts'

/** Returns a word as the function `fold_text` of the database writes it. */
const foldText = (word: string): string =>
  word
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g, ' $&')

/** Words that the index finds only at the beginning of a word: they have less than three letters. */
const SHORT_WORD = /^[a-z0-9]{1,2}$/

/**
 * Condition: the names of a track contain each word of a search, in any order (decision 0074). Words of one and two letters
 * match at the beginning of a word, so that a search answers from the first letter.
 */
export const matchesSearch = (search: string | undefined): Prisma.TrackWhereInput => ({
  AND: [...new Set((search ?? '').split(/\s+/).filter(Boolean).map(foldText))].map((word) => ({
    searchText: { contains: SHORT_WORD.test(word) ? ` ${word}` : word },
  })),
})
