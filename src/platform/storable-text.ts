/** Returns whether PostgreSQL can store a text: U+0000 and half surrogates it cannot. */
export const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

/**
 * Returns a text of a recording without embeddings, overrides and isolates (UAX 9, sections 2.1 to 2.5): they change the
 * direction of what follows, so that a name looks like another one. Marks of Hebrew and Arabic text remain.
 * @param maxChars as `storable`
 */
export const withoutDirections = (text: string, maxChars: number) =>
  storable(text.replace(/[\u202a-\u202e\u2066-\u2069]/g, ''), maxChars)

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
