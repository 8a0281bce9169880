import type { Chapter } from '../chapter.ts'
import type { TagField } from './fields.ts'
import type { Picture } from './picture.ts'

/** Content of a file's tags. */
export interface TagContent {
  fields: readonly TagField[]
  chapters: readonly Chapter[]
  picture: Picture | null
  /** Length of the file. */
  durationSeconds: number
}
