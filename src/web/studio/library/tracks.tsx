import { t } from '../../strings.ts'
import { usePages } from '../api.ts'
import { TracksDocument } from '../generated/operations.ts'
import { TrackFilters, useTrackFilters } from './track-filters.tsx'
import { TrackList } from './track-list.tsx'

/** All tracks of the organization, newest first. */
export default function Tracks() {
  const filters = useTrackFilters()
  const pages = usePages(TracksDocument, filters.variables, (data) => data.tracks)
  return (
    <>
      <h1>{t('studio.tracks')}</h1>
      <div className="toolbar">
        <TrackFilters filters={filters} />
      </div>
      <TrackList pages={pages} isWhole={false} empty={t(filters.isLimited ? 'library.noMatch' : 'studio.nothing')} />
    </>
  )
}
