import { withoutDirections } from '../storable-text.ts'

/** A chapter of a recording. */
export interface Chapter {
  title: string
  startSeconds: number
  /** Null: ends where the next one begins, the last one with the recording. */
  endSeconds: number | null
  /** Address of a page about it. */
  url: string | null
}

/** Maximum number of chapters: ID3's table of contents and MP4's list count them in one byte. */
export const MAX_CHAPTERS = 255
export const MAX_CHAPTER_TITLE = 255
export const MAX_CHAPTER_URL = 2048

/** Returns whether text is an absolute address of a web page. */
export const isWebAddress = (text: string) =>
  text.length <= MAX_CHAPTER_URL && /^https?:\/\/[^\s"<>]+$/i.test(text) && URL.canParse(text)

/**
 * Returns the usable chapters of a recording in the order of their start: titles are cleaned and clipped, chapters that
 * start at the same time are one, and an address that is not of the web is dropped.
 */
export function usableChapters(read: readonly Chapter[]): Chapter[] {
  const starts = new Set<number>()
  return [...read]
    .sort((a, b) => a.startSeconds - b.startSeconds)
    .filter(({ startSeconds }) => {
      const isNew = startSeconds >= 0 && Number.isFinite(startSeconds) && !starts.has(startSeconds)
      starts.add(startSeconds)
      return isNew
    })
    .slice(0, MAX_CHAPTERS)
    .map(({ title, startSeconds, endSeconds, url }, at) => ({
      title: cleanTitle(title) || `${at + 1}`,
      startSeconds,
      endSeconds: endSeconds !== null && endSeconds > startSeconds ? endSeconds : null,
      url: url !== null && isWebAddress(url.trim()) ? url.trim() : null,
    }))
}

const cleanTitle = (title: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  withoutDirections(title.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim(), MAX_CHAPTER_TITLE)
