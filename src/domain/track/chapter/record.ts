import { z } from 'zod'
import { isWebAddress, MAX_CHAPTER_TITLE, MAX_CHAPTER_URL, MAX_CHAPTERS } from '../../../platform/media/chapter.ts'
import { number, text } from '../../../platform/schema/fields.ts'
import { requiredTextRule } from '../../../platform/schema/rules.ts'

const EXAMPLE_URL = 'https://example.com/guests/ada'

/** A chapter as it is shown. */
export const chapterFields = {
  title: text({ description: 'Title, shown to listeners.', example: 'Interview' }),
  startSeconds: number({ description: 'Start in seconds.', example: 61.5 }),
  endSeconds: number({ description: 'End in seconds. Defaults to the start of the next chapter.', example: 180 }),
  url: text({
    description: 'Address of a page about it.',
    example: EXAMPLE_URL,
    nullable: true,
    nullMeans: 'Null without one.',
  }),
  imageUrl: text({
    description: 'Address of its picture.',
    example: 'https://example.com/ada.jpg',
    nullable: true,
    nullMeans: 'Null without one.',
  }),
}

const address = z
  .string()
  .max(MAX_CHAPTER_URL)
  .refine(isWebAddress, 'must be an absolute address with http or https')
  .nullish()
  .transform((value) => value ?? null)

const chapterInput = z.object({
  title: requiredTextRule(MAX_CHAPTER_TITLE).describe(
    `Title, shown to listeners. 1 to ${MAX_CHAPTER_TITLE} characters.`,
  ),
  startSeconds: z.number().min(0).describe('Start in seconds, after that of the chapter before it.'),
  endSeconds: z
    .number()
    .positive()
    .nullish()
    .transform((value) => value ?? null)
    .describe('End in seconds, not after the start of the next chapter. Defaults to that start.'),
  url: address.describe(`Address of a page about it. At most ${MAX_CHAPTER_URL} characters.`),
  imageUrl: address.describe(`Address of its picture. At most ${MAX_CHAPTER_URL} characters.`),
})

export const chapterInputShape = chapterInput

/** Chapters of a client: in order, without overlaps. */
export const chaptersInput = z
  .array(chapterInput)
  .max(MAX_CHAPTERS)
  .superRefine((chapters, check) => {
    for (const [at, { startSeconds, endSeconds }] of chapters.entries()) {
      const next = chapters[at + 1]?.startSeconds
      const issue = (path: (string | number)[], message: string) => check.addIssue({ code: 'custom', path, message })
      if (next !== undefined && next <= startSeconds) {
        issue([at + 1, 'startSeconds'], `must be more than ${startSeconds}, the start of the chapter before it`)
      }
      if (endSeconds === null) continue
      if (endSeconds <= startSeconds) issue([at, 'endSeconds'], `must be more than its start, ${startSeconds}`)
      if (next !== undefined && endSeconds > next) {
        issue([at, 'endSeconds'], `must be at most ${next}, the start of the next chapter`)
      }
    }
  })
export type ChapterInput = z.output<typeof chapterInput>

/** Text for the field of the object and of the input. */
export const CHAPTERS_DESCRIPTION = `Chapters in their order. At most ${MAX_CHAPTERS}.`
