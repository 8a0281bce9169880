import type { Track } from '../../../platform/db/generated/client/client.ts'
import type { Chapter } from '../../../platform/media/chapter.ts'
import type { Span } from '../../../platform/media/trim.ts'
import { roundTo } from '../../../platform/number.ts'

/** A chapter with its end. */
export interface TrackChapter extends Chapter {
  endSeconds: number
  imageUrl: string | null
}

type Stored = Chapter & { imageUrl?: string | null }

/** Columns that chapters follow from. */
export const chapterColumns = ['chapters', 'sourceChapters', 'durationSeconds'] as const

/**
 * Returns the chapters that apply: those that a client has set, else those of the recording. A replaced recording may be
 * shorter than the chapters, so those that begin after its end are left out.
 */
export function effectiveChapters({
  chapters,
  sourceChapters,
  durationSeconds,
}: Pick<Track, (typeof chapterColumns)[number]>): TrackChapter[] {
  const stored = (chapters ?? sourceChapters ?? []) as unknown as Stored[]
  const end = durationSeconds ?? Number.POSITIVE_INFINITY
  const within = stored.filter(({ startSeconds }) => startSeconds < end)
  return within.map(({ title, startSeconds, endSeconds, url, imageUrl = null }, at) => {
    const latest = within[at + 1]?.startSeconds ?? durationSeconds ?? endSeconds ?? startSeconds
    return { title, startSeconds, endSeconds: Math.min(endSeconds ?? latest, latest), url, imageUrl }
  })
}

/** The chapters of a part of the recording, at their times in a file of this part, to the millisecond. */
export const chaptersWithin = (chapters: readonly TrackChapter[], { startSeconds: from, durationSeconds }: Span) =>
  chapters
    .filter(({ startSeconds, endSeconds }) => startSeconds < from + durationSeconds && endSeconds > from)
    .map(({ startSeconds, endSeconds, ...chapter }) => ({
      ...chapter,
      startSeconds: roundTo(Math.max(0, startSeconds - from), 3),
      endSeconds: roundTo(Math.min(durationSeconds, endSeconds - from), 3),
    }))
