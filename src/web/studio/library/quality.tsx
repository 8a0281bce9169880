import { Link } from 'wouter'
import { formatClock, formatNumber, type TextName, t } from '../../strings.ts'
import type { QualityFindingCode, TrackDetailFragment as Track } from '../generated/operations.ts'
import { FactList } from '../ui/fact-list.tsx'

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

/** The quality of a recording in one sentence: that of its worst finding, with a link to the others. */
export function QualitySentence({ report, detailsPath }: { report: Track['qualityReport']; detailsPath: string }) {
  if (!report) return null
  const { findings } = report
  const worst = findings.find(({ severity }) => severity === 'WARNING') ?? findings[0]
  const further = findings.length - 1
  const color = worst ? (worst.severity === 'WARNING' ? 'is-warning' : 'is-notice') : ''
  return (
    <p className="quality-sentence">
      <i className={`dot ${color}`} />
      <span>
        {worst ? formatSentence(worst) : t('quality.none')}{' '}
        {further > 0 && (
          <Link href={detailsPath}>
            {further === 1 ? t('quality.oneMore') : t('quality.more', { count: formatNumber(further) })}
          </Link>
        )}
      </span>
    </p>
  )
}

/** The quality report of the recording, in words and figures. */
export function Quality({ report }: { report: Track['qualityReport'] }) {
  if (!report) return null
  const { findings, phaseCorrelation, noiseFloorDbfs, cutoffHz } = report
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
      <FactList
        facts={[
          [t('quality.phase'), phaseCorrelation !== null && hundredths(phaseCorrelation)],
          [t('quality.noiseFloor'), noiseFloorDbfs !== null && `${decimal(noiseFloorDbfs)} dBFS`],
          [t('quality.cutoff'), cutoffHz !== null && `${decimal(cutoffHz / 1000)} kHz`],
        ]}
      />
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
