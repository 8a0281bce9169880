import { useState } from 'react'
import { t } from '../../strings.ts'
import { usePages } from '../api.ts'
import { useFilters } from '../filters.ts'
import { ActivitiesDocument, type ActivityRecord, type ActivityRowFragment } from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/field.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { Search } from '../ui/search.tsx'
import { ActivityDialog } from './activity-dialog.tsx'
import { renderActivity } from './activity-row.tsx'
import './activity.css'

/** In the order of the menu. */
const RECORDS: readonly ActivityRecord[] = [
  'COLLECTION',
  'TRACK',
  'CREATOR',
  'KEY',
  'ORGANIZATION',
  'ADMINISTRATOR',
  'INVITATION',
  'PASSKEY',
  'VARIANT',
  'WEBHOOK_ENDPOINT',
]

/** All changes in the organization, or those of one record, newest first. */
export default function ActivityPage() {
  const { get, set } = useFilters()
  const [openId, setOpenId] = useState<string | null>(null)
  const search = get('search') || undefined
  const recordId = get('id') || undefined
  const record = RECORDS.find((type) => type === get('record'))
  const pages = usePages(ActivitiesDocument, { filter: { search, record, recordId } }, (data) => data.activities)
  const isFiltered = Boolean(search ?? record ?? recordId)
  const activity = pages.nodes.find(({ id }) => id === openId)
  return (
    <>
      <PageHeading text={t('studio.activity')} />
      <p className="lead">{t('activity.lead')}</p>
      <div className="toolbar">
        <Search label={t('activity.search')} value={search ?? ''} onSearch={(text) => set('search', text)} />
        {recordId ? (
          <>
            <span className="badge">{t('activity.ofRecord')}</span>
            <Button onPress={() => set('id', '')}>{t('activity.all')}</Button>
          </>
        ) : (
          <Choice
            label={t('activity.records')}
            name="record"
            value={record ?? ''}
            choices={[
              { id: '', text: t('activity.everyRecord') },
              ...RECORDS.map((id) => ({ id, text: t(`activity.of${id}`) })),
            ]}
            onChange={(chosen) => set('record', chosen)}
          />
        )}
      </div>
      <PagedList
        label={t('studio.activity')}
        pages={pages}
        textOf={({ recordName }: ActivityRowFragment) => recordName}
        empty={t(isFiltered ? 'activity.noMatch' : 'activity.none')}
        onOpen={setOpenId}
      >
        {renderActivity}
      </PagedList>
      {activity && <ActivityDialog activity={activity} onClose={() => setOpenId(null)} />}
    </>
  )
}
