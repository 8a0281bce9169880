import { z } from 'zod'
import { MAX_FIELDS, MAX_READ_CHAPTERS, MAX_TEXT_CHARS, MAX_VALUES } from './bounds.ts'

const text = z.string().max(MAX_TEXT_CHARS)

/** Final report of the reader. Validated, because the program has handled untrusted bytes. */
export const report = z.object({
  /** In the order of precedence: ID3v2, Vorbis comments, iTunes, APEv2, ID3v1. Names as the format has them. */
  fields: z
    .array(
      z.object({
        format: z.enum(['id3v2', 'vorbis', 'itunes', 'apev2', 'id3v1']),
        name: text,
        values: z.array(text).min(1).max(MAX_VALUES),
      }),
    )
    .max(MAX_FIELDS),
  /** Of ID3 and Vorbis comments. Seconds. */
  chapters: z
    .array(
      z.object({
        title: text,
        startSeconds: z.number().min(0),
        endSeconds: z.number().min(0).nullable(),
        url: text.nullable(),
      }),
    )
    .max(MAX_READ_CHAPTERS),
  hasPicture: z.boolean(),
})
export type Report = z.infer<typeof report>
