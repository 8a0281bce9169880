import { formatNumber, t } from '../../strings.ts'

/** A number of tracks in words, as `12 tracks`. */
export const formatTrackCount = (count: number): string =>
  count === 1 ? t('library.oneTrack') : t('library.tracks', { count: formatNumber(count) })

/** A number of collections in words, as `3 collections`. */
export const formatCollectionCount = (count: number): string =>
  count === 1 ? t('library.oneCollection') : t('library.collections', { count: formatNumber(count) })
