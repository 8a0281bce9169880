import { memo, useId } from 'react'
import { WAVE, wavePath } from '../../wave.ts'

interface Props {
  levels: readonly number[]
  /** Maximum number of bars. Defaults to all. */
  bars?: number
  /** Part that is shown in the color of the text. 0 to 1. */
  played?: number
}

/** The waveform of a recording. */
export function Wave({ levels, bars, played }: Props) {
  const id = useId()
  return (
    <svg className="wave" viewBox={`0 0 ${WAVE.width} ${WAVE.height}`} preserveAspectRatio="none" aria-hidden="true">
      <Bars levels={levels} bars={bars} />
      {played !== undefined && (
        <>
          <clipPath id={id}>
            <rect width={WAVE.width * played} height={WAVE.height} />
          </clipPath>
          <g className="played" clipPath={`url(#${id})`}>
            <Bars levels={levels} bars={bars} />
          </g>
        </>
      )}
    </svg>
  )
}

/** The same levels are drawn once, not with every change of the position. */
const Bars = memo(({ levels, bars }: Pick<Props, 'levels' | 'bars'>) => <path d={wavePath(levels, bars)} />)
