import { formatBytes, formatClock, formatNumber, t } from '../../strings.ts'
import type { TrackDetailFragment as Track } from '../generated/operations.ts'

/** The number of a track, with that of its disc where it has one. */
const formatPlace = ({ trackNumber, discNumber }: Pick<Track, 'trackNumber' | 'discNumber'>) =>
  trackNumber !== null && discNumber !== null
    ? t('library.numberOfDisc', { number: formatNumber(trackNumber), disc: formatNumber(discNumber) })
    : trackNumber !== null && formatNumber(trackNumber)

/** Properties and measurements of the recording. */
export function Facts({ track }: { track: Track }) {
  const { info, analysis, duration, sourceBytes } = track
  const decimal = (value: number) => formatNumber(value, { maximumFractionDigits: 1 })
  const withConfidence = (estimate: string, confidence: number | null) =>
    confidence === null ? estimate : `${estimate} (${formatNumber(confidence, { style: 'percent' })})`
  const facts = [
    [t('library.fileName'), track.fileNameOriginal ?? track.fileName],
    [t('library.album'), track.album],
    [t('library.trackNumber'), formatPlace(track)],
    [t('library.year'), track.year],
    [t('library.isrc'), track.isrc],
    [t('library.identifier'), track.organizationIndex],
    [t('library.duration'), duration !== null && formatClock(duration)],
    [t('library.size'), sourceBytes !== null && formatBytes(sourceBytes)],
    [t('library.format'), info && [info.container, info.codec].join(', ')],
    [t('library.sampleRate'), info && `${formatNumber(info.sampleRate)} Hz`],
    [t('library.channels'), info && formatNumber(info.channels)],
    [t('library.loudness'), analysis?.integratedLufs != null && `${decimal(analysis.integratedLufs)} LUFS`],
    [t('library.peak'), analysis?.truePeakDbtp != null && `${decimal(analysis.truePeakDbtp)} dBTP`],
    [
      t('library.tempo'),
      analysis?.tempoBpm != null && withConfidence(`${decimal(analysis.tempoBpm)} BPM`, analysis.tempoConfidence),
    ],
    [t('library.key'), analysis?.key && withConfidence(analysis.key, analysis.keyConfidence)],
  ].filter(([, value]) => value)
  return (
    <section>
      <h2>{t('library.recording')}</h2>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name || ''}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Theme colors={track.effectiveTheme} />
    </section>
  )
}

/** Colors of the cover, wide as their area. */
export function Theme({ colors }: { colors: readonly { hex: string; area: number }[] }) {
  if (colors.length === 0) return null
  return (
    <div className="theme" role="img" aria-label={t('library.theme')}>
      {colors.map(({ hex, area }) => (
        <span key={hex} title={hex} style={{ background: hex, flexGrow: area }} />
      ))}
    </div>
  )
}
