import { formatClock, formatNumber, type TextName, t } from '../../strings.ts'
import type { QualityFindingCode, TrackDetailFragment as Track } from '../generated/operations.ts'

type Report = NonNullable<Track['qualityReport']>
type Finding = Report['findings'][number]

const texts: Record<QualityFindingCode, TextName> = {
  DAMAGED: 'quality.damaged',
  CLIPPED: 'quality.clipped',
  OVER_FULL_SCALE: 'quality.overFullScale',
  DC_OFFSET: 'quality.dcOffset',
  OUT_OF_PHASE: 'quality.outOfPhase',
  PHASE_DIP: 'quality.phaseDip',
  IDENTICAL_CHANNELS: 'quality.identicalChannels',
  ONE_SIDED: 'quality.oneSided',
  LEADING_SILENCE: 'quality.leadingSilence',
  PAUSE: 'quality.pause',
  TRAILING_SILENCE: 'quality.trailingSilence',
  NOISE: 'quality.noise',
  LOSSY: 'quality.lossy',
  CUT_OFF: 'quality.cutOff',
}

const decimal = (value: number) => formatNumber(value, { maximumFractionDigits: 1 })
const hundredths = (value: number) => formatNumber(value, { maximumFractionDigits: 2 })

/** The quality report of the recording, in words and figures. */
export function Quality({ report }: { report: Track['qualityReport'] }) {
  if (!report) return null
  const { findings, phaseCorrelation, noiseFloorDbfs, cutoffHz } = report
  const figures = [
    [t('quality.phase'), phaseCorrelation !== null && hundredths(phaseCorrelation)],
    [t('quality.noiseFloor'), noiseFloorDbfs !== null && `${decimal(noiseFloorDbfs)} dBFS`],
    [t('quality.cutoff'), cutoffHz !== null && `${decimal(cutoffHz / 1000)} kHz`],
  ].filter(([, value]) => value)
  return (
    <section>
      <h2>{t('quality.title')}</h2>
      {findings.length === 0 && <p className="quiet">{t('quality.none')}</p>}
      <ul className="findings">
        {findings.map((finding) => (
          <li key={finding.code}>
            <span className={finding.severity === 'WARNING' ? 'badge wrong' : 'badge'}>
              {t(finding.severity === 'WARNING' ? 'quality.warning' : 'quality.notice')}
            </span>{' '}
            {formatSentence(finding)}
            {finding.atSeconds !== null && ` (${t('quality.at', { at: formatClock(finding.atSeconds) })})`}
          </li>
        ))}
      </ul>
      <dl className="facts">
        {figures.map(([name, value]) => (
          <div key={name || ''}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const formatSentence = ({ code, value }: Finding) =>
  t(texts[code], { value: value === null ? '' : formatValue(code, value) })

function formatValue(code: QualityFindingCode, value: number): string {
  if (code === 'DC_OFFSET') return formatNumber(value, { style: 'percent', maximumFractionDigits: 1 })
  if (code === 'CUT_OFF') return decimal(value / 1000)
  if (code === 'ONE_SIDED') return decimal(Math.abs(value))
  if (code === 'OUT_OF_PHASE' || code === 'PHASE_DIP') return hundredths(value)
  return decimal(value)
}
