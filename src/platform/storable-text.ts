/** Returns whether PostgreSQL can store a text: U+0000 and half surrogates it cannot. */
export const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

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
