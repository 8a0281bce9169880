import { programs } from './programs.ts'
import { recipes } from './variants.ts'

/** A loudness that programs are normalized to, as a codec. */
export interface Target {
  index: keyof typeof recipes
  lufs: number
}

export const targets: readonly Target[] = Object.entries(recipes).flatMap(([index, { props }]) =>
  index.startsWith('target_') && 'normalize' in props && typeof props.normalize === 'number'
    ? [{ index: index as Target['index'], lufs: props.normalize }]
    : [],
)

const variants = targets.map(({ index }) => index)
/** Each is processed within the time of one table. */
export const programTables = programs.map((program) => ({ rows: [program], variants }))
