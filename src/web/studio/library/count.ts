import { formatNumber, t } from '../../strings.ts'

/** A number of tracks in words, as `12 tracks`. */
export const formatTrackCount = (count: number): string =>
  count === 1 ? t('library.oneTrack') : t('library.tracks', { count: formatNumber(count) })

/** A length in words, as `11 min`, of a list in which seconds do not matter. */
export function formatLength(seconds: number): string {
  const part = (value: number, unit: string) => formatNumber(value, { style: 'unit', unit, unitDisplay: 'short' })
  if (seconds < 60) return part(Math.round(seconds), 'second')
  const minutes = Math.round(seconds / 60)
  const hours = Math.floor(minutes / 60)
  return hours > 0 ? `${part(hours, 'hour')} ${part(minutes % 60, 'minute')}` : part(minutes, 'minute')
}
