import { t } from '../../strings.ts'
import { useFilters } from '../filters.ts'
import type { TrackStatus } from '../generated/operations.ts'
import { Choice } from '../ui/field.tsx'
import { Search } from '../ui/search.tsx'
import { failedStatuses, statuses } from '../ui/track-status.tsx'

const ALL = 'ALL'
const NOT_READY = 'NOT_READY'
const knownStatuses = Object.keys(statuses) as TrackStatus[]

/** States that a choice of the list stands for. Undefined for all. */
function findStatuses(choice: string): readonly TrackStatus[] | undefined {
  if (choice === NOT_READY) return failedStatuses
  return knownStatuses.filter((status) => status === choice).length > 0 ? [choice as TrackStatus] : undefined
}

/** Conditions of a list of tracks, in the address of the page. */
export function useTrackFilters() {
  const { get, set } = useFilters()
  const [search, choice] = [get('search'), get('status') || ALL]
  const status = findStatuses(choice)
  return {
    search,
    choice,
    set,
    isLimited: Boolean(search || status),
    variables: { search: search || undefined, status: status && [...status] },
  }
}

export function TrackFilters({ filters: { search, choice, set } }: { filters: ReturnType<typeof useTrackFilters> }) {
  const choices = [
    { id: ALL, text: t('library.allStates') },
    { id: NOT_READY, text: t('library.needsAttention') },
    ...knownStatuses.map((id) => ({ id, text: t(statuses[id]) })),
  ]
  return (
    <>
      <Search value={search} onSearch={(text) => set('search', text)} />
      <Choice
        label={t('library.state')}
        name="status"
        choices={choices}
        value={choice}
        onChange={(id) => set('status', id === ALL ? '' : id)}
      />
    </>
  )
}
