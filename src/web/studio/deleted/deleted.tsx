import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { formatDate, t } from '../../strings.ts'
import { usePages } from '../api.ts'
import { DeletedCollectionsDocument, DeletedTracksDocument } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { type Restorable, useRestore } from './use-restore.ts'

/** Tracks and collections that were deleted, and can be restored until their files are removed. */
export default function Deleted() {
  return (
    <>
      <PageHeading text={t('studio.deleted')} />
      <p className="quiet">{t('deleted.lead')}</p>
      <Tabs className="tabs">
        <TabList aria-label={t('studio.deleted')} className="tab-list">
          <Tab id="tracks">{t('studio.tracks')}</Tab>
          <Tab id="collections">{t('studio.collections')}</Tab>
        </TabList>
        <TabPanel id="tracks">
          <Tracks />
        </TabPanel>
        <TabPanel id="collections">
          <Collections />
        </TabPanel>
      </Tabs>
    </>
  )
}

function Tracks() {
  const pages = usePages(DeletedTracksDocument, {}, (data) => data.deletedTracks)
  return (
    <PagedList
      label={t('deleted.tracks')}
      pages={pages}
      textOf={({ title }) => title}
      empty={<EmptyState text={t('deleted.nothing')} />}
      rowHeight={ROW_PX}
    >
      {({ title, collection, ...track }) => <Row kind="track" {...track} name={title} place={collection.title} />}
    </PagedList>
  )
}

function Collections() {
  const pages = usePages(DeletedCollectionsDocument, {}, (data) => data.deletedCollections)
  return (
    <PagedList
      label={t('deleted.collections')}
      pages={pages}
      textOf={({ title }) => title}
      empty={<EmptyState text={t('deleted.nothing')} />}
      rowHeight={ROW_PX}
    >
      {({ title, ...collection }) => <Row kind="collection" {...collection} name={title} />}
    </PagedList>
  )
}

const ROW_PX = 84

interface RowProps {
  kind: Restorable
  id: string
  name: string
  /** Title of the collection of a track. */
  place?: string
  deletedAt: string
  restorableUntil: string
}

function Row({ kind, id, name, place, deletedAt, restorableUntil }: RowProps) {
  const canWrite = useCanWrite()
  const { restore, busyId } = useRestore()
  return (
    <>
      <span className="deleted-record">
        <strong>{name}</strong>
        {place && <span className="place">{t('deleted.place', { collection: place })}</span>}
        <small>
          <span className="at">{t('deleted.at', { at: formatDate(deletedAt) })} </span>
          {t('deleted.until', { until: formatDate(restorableUntil) })}
        </small>
      </span>
      {canWrite && (
        <Button
          aria-label={t('deleted.restoreNamed', { name })}
          isPending={busyId === id}
          onPress={() => restore(kind, id, name)}
        >
          {t('deleted.restore')}
        </Button>
      )}
    </>
  )
}
