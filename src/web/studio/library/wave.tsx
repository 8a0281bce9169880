import { memo } from 'react'
import { WAVE, wavePath } from '../../wave.ts'

interface Props {
  levels: readonly number[]
  /** Maximum number of bars. Defaults to all. */
  bars?: number
}

/** The waveform of a recording. */
export const Wave = memo(({ levels, bars }: Props) => (
  <svg className="wave" viewBox={`0 0 ${WAVE.width} ${WAVE.height}`} preserveAspectRatio="none" aria-hidden="true">
    <path d={wavePath(levels, bars)} />
  </svg>
))
