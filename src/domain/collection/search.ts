/** Returns a word as the function `fold_text` of the database writes it. */
export const foldText = (word: string): string =>
  word
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g, ' $&')

/** Words that the index finds only at the beginning of a word: they have less than three letters. */
const SHORT_WORD = /^[a-z0-9]{1,2}$/

/** The part of the description of a search after the fields that it compares. */
export const SEARCH_RULES =
  'contain each of these words, in any order. Ignores case and accents. Words of one and two letters match at the ' +
  'beginning of a word. 1 to 200 characters.'

/**
 * Condition: the names of a collection or track contain each word of a search, in any order (decision 0074). Words of one and
 * two letters match at the beginning of a word, so that a search answers from the first letter.
 */
export const matchesSearch = (search: string | undefined) => ({
  AND: [...new Set((search ?? '').split(/\s+/).filter(Boolean).map(foldText))].map((word) => ({
    searchText: { contains: SHORT_WORD.test(word) ? ` ${word}` : word },
  })),
})
