import { t } from '../../strings.ts'

const BARS = 48
const PLAYED = 20
/** A wave as of speech. */
const levels = Array.from({ length: BARS }, (_, i) => 18 + 60 * Math.abs(Math.sin(i * 0.7) * Math.cos(i * 0.23)))

const Bars = ({ from, to }: { from: number; to: number }) => (
  <path
    d={levels.map((level, i) => (i < from || i >= to ? '' : `M${i * 5} ${50 - level / 2}h3v${level}h-3z`)).join('')}
  />
)

interface Props {
  theme: 'light' | 'dark'
  color: string
  subtitle: string
}

/** A player as on the page of a share link. */
export function PlayerPreview({ theme, color, subtitle }: Props) {
  return (
    <figure className={`preview ${theme}`}>
      <figcaption>{t(`organization.${theme}`)}</figcaption>
      <strong>{t('organization.sample')}</strong>
      <span className="subtitle">{subtitle}</span>
      <div className="sample">
        <svg aria-hidden="true" className="sample-play" viewBox="0 0 48 48">
          <circle cx="24" cy="24" r="22" stroke={color} />
          <path d="M19 14v20l16-10z" fill={color} />
        </svg>
        <svg aria-hidden="true" className="sample-wave" viewBox={`0 0 ${BARS * 5} 100`} preserveAspectRatio="none">
          <g fill={color}>
            <Bars from={0} to={PLAYED} />
          </g>
          <Bars from={PLAYED} to={BARS} />
        </svg>
      </div>
    </figure>
  )
}
