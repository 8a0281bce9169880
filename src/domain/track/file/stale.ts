import { isDeepStrictEqual } from 'node:util'

interface Made {
  state: string
  index: string | null
  recipe: unknown
}
interface Recipe {
  index: string
  props: unknown
}

/** Whether a file is not what its variant would make now: it was made under another name or with other parameters. */
export const isStale = (file: Made, variant: Recipe) =>
  file.state === 'done' && !(file.index === variant.index && isDeepStrictEqual(file.recipe, variant.props))

/** Whether nothing but its name is wrong with a file. */
export const isOnlyRenamed = (file: Made, variant: Recipe) =>
  file.state === 'done' && file.index !== variant.index && isDeepStrictEqual(file.recipe, variant.props)
