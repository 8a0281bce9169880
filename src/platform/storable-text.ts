/** Returns whether PostgreSQL can store a text: U+0000 and half surrogates it cannot. */
export const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

/**
 * Returns a text of a recording without the characters that change the direction of what follows (UAX 9, section 2): they
 * make a name look like another one.
 * @param maxChars as `storable`
 */
export const withoutDirections = (text: string, maxChars: number) =>
  storable(text.replace(/\p{Bidi_Control}/gu, ''), maxChars)

/**
 * Returns a text that PostgreSQL can store.
 * @param maxChars UTF-16 units to keep. A character of two is not split.
 */
export const storable = (text: string, maxChars: number) =>
  text
    .replaceAll('\0', '')
    .slice(0, maxChars)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed()
