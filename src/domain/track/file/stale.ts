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
 * Whether a file is not what its variant would make now: it was made under another name, with other parameters or of
 * another recording. The view `stale_file` says the same in SQL.
 */
export const isStale = (file: Made, variant: Recipe, track: Recording) =>
  file.state === 'done' && !(file.index === variant.index && matchesRecipe(file, variant, track))

/** Whether nothing but its name is wrong with a file. */
export const isOnlyRenamed = (file: Made, variant: Recipe, track: Recording) =>
  file.state === 'done' && file.index !== variant.index && matchesRecipe(file, variant, track)

/** Of a file from before recordings were written down it is not known. */
const matchesRecipe = ({ recipe, sourceSha256 }: Made, { props }: Recipe, track: Recording) =>
  isDeepStrictEqual(recipe, props) &&
  (sourceSha256 === null || track.sourceSha256 === null || sourceSha256 === track.sourceSha256)
