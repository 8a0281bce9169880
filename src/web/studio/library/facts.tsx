import { formatBytes, formatClock, formatDate, formatNumber, t } from '../../strings.ts'
import type { TrackDetailFragment as Track } from '../generated/operations.ts'
import { FactList } from '../ui/fact-list.tsx'
import { formatValue } from './metadata.tsx'

const decimal = (value: number) => formatNumber(value, { maximumFractionDigits: 1 })
const withConfidence = (estimate: string, confidence: number | null) =>
  confidence === null ? estimate : `${estimate} (${formatNumber(confidence, { style: 'percent' })})`

/** A codec as people write it: `pcm_s16le` as `PCM, 16 bits`. */
const formatCodec = (codec: string) => {
  const [, bits] = /^pcm_[a-z](\d+)/.exec(codec) ?? []
  return bits ? `PCM, ${t('variant.bitsPerSample', { count: bits })}` : codec.toUpperCase()
}

/** The number of a track, with that of its disc where it has one. */
const formatPlace = ({ trackNumber, discNumber }: Pick<Track, 'trackNumber' | 'discNumber'>) =>
  trackNumber !== null && discNumber !== null
    ? t('library.numberOfDisc', { number: formatNumber(trackNumber), disc: formatNumber(discNumber) })
    : trackNumber !== null && formatNumber(trackNumber)

/** Properties and measurements of the recording. */
export function RecordingFacts({ track }: { track: Track }) {
  const { info, analysis, duration, sourceBytes } = track
  return (
    <section>
      <h2>{t('library.recording')}</h2>
      <FactList
        facts={[
          [t('library.fileName'), track.fileNameOriginal ?? track.fileName],
          [t('library.duration'), duration !== null && formatClock(duration)],
          [t('library.size'), sourceBytes !== null && formatBytes(sourceBytes)],
          [t('library.format'), info && [info.container.toUpperCase(), formatCodec(info.codec)].join(', ')],
          [t('library.sampleRate'), info && `${formatNumber(info.sampleRate)} Hz`],
          [t('library.channels'), info && formatNumber(info.channels)],
          [t('library.loudness'), analysis?.integratedLufs != null && `${decimal(analysis.integratedLufs)} LUFS`],
          [t('library.peak'), analysis?.truePeakDbtp != null && `${decimal(analysis.truePeakDbtp)} dBTP`],
          [
            t('library.tempo'),
            analysis?.tempoBpm != null && withConfidence(`${decimal(analysis.tempoBpm)} BPM`, analysis.tempoConfidence),
          ],
          [t('library.key'), analysis?.key && withConfidence(analysis.key, analysis.keyConfidence)],
        ]}
      />
      <Theme colors={track.effectiveTheme} />
    </section>
  )
}

/** Texts of the track for other systems and for feeds, and its times. */
export function RecordFacts({ track }: { track: Track }) {
  const { organizationIndex, publishedAt, season, episode, uploadCompletedAt, createdAt, metadata } = track
  return (
    <section>
      <h2>{t('library.record')}</h2>
      <FactList
        facts={[
          [t('library.album'), track.album],
          [t('library.trackNumber'), formatPlace(track)],
          [t('library.year'), track.year],
          [t('library.isrc'), track.isrc],
          [t('library.identifier'), organizationIndex],
          [t('library.publishedAt'), publishedAt && formatDate(publishedAt)],
          [t('library.season'), season],
          [t('library.episodeNumber'), episode],
          [t('library.createdAt'), formatDate(createdAt)],
          [t('library.uploadedAt'), uploadCompletedAt && formatDate(uploadCompletedAt)],
        ]}
      />
      {Object.keys(metadata).length > 0 && (
        <>
          <h3>{t('library.metadata')}</h3>
          <FactList facts={Object.entries(metadata).map(([key, value]) => [key, formatValue(value)])} />
        </>
      )}
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
