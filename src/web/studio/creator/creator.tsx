import { useState } from 'react'
import { MenuItem, Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { Link, useLocation, useParams } from 'wouter'
import { t } from '../../strings.ts'
import { useChange, useData, usePages } from '../api.ts'
import {
  CollectionsDocument,
  type CreatorDetailFragment as Creator,
  CreatorDocument,
  CreatorPlaysDocument,
  DeleteCreatorDocument,
  TracksDocument,
} from '../generated/operations.ts'
import { CollectionList } from '../library/collection-list.tsx'
import { formatCollectionCount, formatTrackCount } from '../library/count.ts'
import { formatValue } from '../library/metadata.tsx'
import { SortChoice, useListSort } from '../library/order/sort-choice.tsx'
import { TrackFilters, useTrackFilters } from '../library/track-filters.tsx'
import { TrackList } from '../library/track-list.tsx'
import { PlayFigures } from '../overview/figures.tsx'
import { useCanWrite } from '../role.ts'
import { Answered } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { FactList } from '../ui/fact-list.tsx'
import { MoreActions } from '../ui/more-actions.tsx'
import { say } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { fillDays } from '../usage/days.tsx'
import { beginOfPeriodBefore, dayAfter, lastDays, toRange } from '../usage/period.ts'
import { EditCreator } from './creator-form.tsx'

/** Tabs of a creator, and the ends of their addresses. */
const tabs = { collections: '', tracks: '/tracks' } as const
const list = { path: '/creators', name: 'studio.creators' } as const
const DAYS = 30

/** A creator: how often their sound is played, their collections and tracks. */
export default function CreatorPage() {
  const { id = '', tab = 'collections' } = useParams()
  const answer = useData(CreatorDocument, { id })
  if (!(tab in tabs)) return <PageHeading text={t('studio.notFound')} />
  return (
    <Answered of={answer} list={list}>
      {({ creator }) => creator && <Content key={creator.id} creator={creator} tab={tab} />}
    </Answered>
  )
}

function Content({ creator, tab }: { creator: Creator; tab: string }) {
  const { id, organizationIndex, metadata, collections, tracks } = creator
  return (
    <article>
      <header className="record-head">
        <div>
          <Link href="/creators">{t('studio.creators')}</Link>
          <PageHeading text={organizationIndex} />
          <p className="quiet">
            {[formatCollectionCount(collections.totalCount), formatTrackCount(tracks.totalCount)].join(' · ')}
          </p>
          <div className="toolbar">
            <Actions creator={creator} />
          </div>
        </div>
      </header>
      <Plays id={id} />
      <FactList facts={Object.entries(metadata).map(([key, value]) => [key, formatValue(value)])} />
      <Tabs selectedKey={tab}>
        <TabList aria-label={t('creator.parts')} className="tab-list">
          <Tab id="collections" href={`/creator/${id}${tabs.collections}`}>
            {t('studio.collections')}
          </Tab>
          <Tab id="tracks" href={`/creator/${id}${tabs.tracks}`}>
            {t('studio.tracks')}
          </Tab>
        </TabList>
        <TabPanel id="collections">
          <Collections creatorId={id} />
        </TabPanel>
        <TabPanel id="tracks">
          <Tracks creatorId={id} />
        </TabPanel>
      </Tabs>
    </article>
  )
}

/** Plays of the last days, compared with as many days before. */
function Plays({ id }: { id: string }) {
  const [period] = useState(() => lastDays(DAYS))
  const before = { from: beginOfPeriodBefore(period), to: dayAfter(period.from, -1) }
  const answer = useData(CreatorPlaysDocument, { id, ...toRange({ from: before.from, to: period.to }) })
  return (
    <Answered of={answer}>
      {({ usage }) => <PlayFigures days={fillDays(usage, period)} daysBefore={fillDays(usage, before)} />}
    </Answered>
  )
}

function Collections({ creatorId }: { creatorId: string }) {
  const pages = usePages(CollectionsDocument, { creatorId }, (data) => data.collections)
  return <CollectionList pages={pages} view="covers" empty={<EmptyState text={t('creator.noCollections')} />} />
}

function Tracks({ creatorId }: { creatorId: string }) {
  const { variables, isLimited, ...filters } = useTrackFilters()
  const sort = useListSort('newest')
  const pages = usePages(TracksDocument, { ...variables, creatorId, order: sort.order }, (data) => data.tracks)
  return (
    <>
      <div className="toolbar">
        <TrackFilters filters={{ ...filters, variables, isLimited }} />
        <SortChoice of={sort} />
      </div>
      <TrackList
        pages={pages}
        isWhole={false}
        empty={<EmptyState text={t(isLimited ? 'library.noMatch' : 'creator.noTracks')} />}
      />
    </>
  )
}

type Opened = 'edit' | 'delete'

/** A menu of what changes the creator. */
function Actions({ creator }: { creator: Creator }) {
  const [open, setOpen] = useState<Opened | null>(null)
  const [, navigate] = useLocation()
  const { mutate, isPending, error, reset } = useChange(DeleteCreatorDocument)
  const close = () => {
    reset()
    setOpen(null)
  }
  if (!useCanWrite()) return null
  const { id, organizationIndex: name } = creator
  const onSuccess = () => {
    navigate('/creators', { replace: true })
    say(t('creator.deleted', { name }))
  }
  return (
    <>
      <Button onPress={() => setOpen('edit')}>{t('studio.edit')}</Button>
      <MoreActions>
        <MenuItem className="danger" onAction={() => setOpen('delete')}>
          {t('studio.delete')}
        </MenuItem>
      </MoreActions>
      <EditCreator creator={creator} isOpen={open === 'edit'} onClose={close} />
      <Confirm
        title={t('creator.delete')}
        text={t('creator.deleteText', { name })}
        label={t('studio.delete')}
        isOpen={open === 'delete'}
        isBusy={isPending}
        error={error}
        onConfirm={() => mutate({ id }, { onSuccess })}
        onClose={close}
      />
    </>
  )
}
