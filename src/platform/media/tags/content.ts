import type { Chapter } from '../chapter.ts'
import type { Field } from './fields.ts'
import type { Picture } from './picture.ts'

/** Content of a file's tags. */
export interface Content {
  fields: readonly Field[]
  chapters: readonly Chapter[]
  picture: Picture | null
  /** Length of the file. */
  durationSeconds: number
}
