import { isDeepStrictEqual } from 'node:util'

/** Whether a file is not what its variant would make now: it was made under another name or with other parameters. */
export const isStale = (
  file: { state: string; index: string | null; recipe: unknown },
  variant: { index: string; props: unknown },
) => file.state === 'done' && !(file.index === variant.index && isDeepStrictEqual(file.recipe, variant.props))
