import { useEffect, useRef, useState } from 'react'
import { Redirect, useLocation, useSearch } from 'wouter'
import { t } from '../../strings.ts'
import { useData, useFollow } from '../api.ts'
import { OverviewTracksDocument, type OverviewTracksQuery, TrackChangesDocument } from '../generated/operations.ts'
import { NewCollection } from '../library/new-collection.tsx'
import { useCanWrite } from '../role.ts'
import { Answered } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { lastDays } from '../usage/period.ts'
import { Failures } from './failures.tsx'
import { Figures } from './figures.tsx'
import { LatestUploads } from './latest-uploads.tsx'
import { MostPlayed } from './most-played.tsx'

const DAYS = 30
/** Changes within this time are read together. */
const REFRESH_MS = 3000

/** The first page after the sign-in: plays, problems, uploads and storage of the organization. */
export default function OverviewPage() {
  const search = useSearch()
  // The collections were here before, with their search in the address.
  if (new URLSearchParams(search).has('search')) return <Redirect to={`/collections?${search}`} replace />
  return (
    <>
      <PageHeading text={t('studio.overview')} />
      <Overview />
    </>
  )
}

function Overview() {
  const answer = useData(OverviewTracksDocument, {})
  useRefreshAfterChanges(answer.refetch)
  return (
    <Answered of={answer}>
      {(data) => (data.latest.edges.length > 0 ? <Content data={data} /> : <NoTracks data={data} />)}
    </Answered>
  )
}

function Content({ data: { latest, failed } }: { data: OverviewTracksQuery }) {
  const [period] = useState(() => lastDays(DAYS))
  return (
    <div className="overview">
      <Figures period={period} />
      <Failures tracks={failed.edges.map(({ node }) => node)} hasMore={failed.pageInfo.hasNextPage} />
      <div className="overview-columns">
        <MostPlayed period={period} />
        <LatestUploads tracks={latest.edges.map(({ node }) => node)} />
      </div>
    </div>
  )
}

/** Leads a new organization to its first upload: into its newest collection, or into a new one. */
function NoTracks({ data }: { data: OverviewTracksQuery }) {
  const [, navigate] = useLocation()
  const [isCreating, setCreating] = useState(false)
  const canWrite = useCanWrite()
  const open = (id: string) => navigate(`/collection/${id}`)
  const collectionId = data.collections.edges[0]?.node.id
  return (
    <EmptyState text={t(canWrite ? 'overview.first' : 'studio.nothing')}>
      {canWrite && (
        <Button kind="primary" onPress={() => (collectionId ? open(collectionId) : setCreating(true))}>
          {t('overview.upload')}
        </Button>
      )}
      <NewCollection isOpen={isCreating} onClose={() => setCreating(false)} onCreated={open} />
    </EmptyState>
  )
}

/** Reads the tracks again after changes of any track. An upload of an album is many changes. */
function useRefreshAfterChanges(refetch: () => unknown) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useFollow(TrackChangesDocument, {}, () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void refetch()
    }, REFRESH_MS)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
}
