import { isDeepStrictEqual } from 'node:util'

interface Made {
  state: string
  index: string | null
  recipe: unknown
  sourceSha256: string | null
}
interface Recipe {
  index: string
  props: unknown
}
interface Recording {
  sourceSha256: string | null
}

/**
 * Whether a file differs from what its variant would generate now: the index, the parameters or the recording changed.
 * The function `is_stale` of the database is the same condition, and the view `stale_file` contains the files.
 */
export const isStale = (file: Made, variant: Recipe, track: Recording) =>
  file.state === 'done' && !(file.index === variant.index && matchesRecipe(file, variant, track))

/** Whether only the index of a file is stale. */
export const isOnlyRenamed = (file: Made, variant: Recipe, track: Recording) =>
  file.state === 'done' && file.index !== variant.index && matchesRecipe(file, variant, track)

/** Ignores the recording of a cover that was uploaded before it: such a file names no recording. */
const matchesRecipe = ({ recipe, sourceSha256 }: Made, { props }: Recipe, track: Recording) =>
  isDeepStrictEqual(recipe, props) &&
  (sourceSha256 === null || track.sourceSha256 === null || sourceSha256 === track.sourceSha256)
