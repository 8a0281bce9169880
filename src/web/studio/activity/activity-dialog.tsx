import { Link } from 'wouter'
import { formatDate, t } from '../../strings.ts'
import type { ActivityRowFragment as Activity } from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FactList } from '../ui/fact-list.tsx'
import { Name } from '../usage/name.tsx'
import { findPage, nameActor, titleOfActivity } from './activity-text.ts'
import { labelOfField } from './fields.ts'

/** One change: who made it, from where, and the values before and after it. */
export function ActivityDialog({ activity, onClose }: { activity: Activity; onClose: () => void }) {
  const { address, changes, createdAt, recordName, requestId } = activity
  const page = findPage(activity)
  return (
    <Dialog title={titleOfActivity(activity)} isOpen onClose={onClose}>
      <p>
        <strong>{page ? <Link href={page}>{recordName}</Link> : recordName}</strong>
      </p>
      {changes.length > 0 && <Changes of={changes} />}
      <FactList
        facts={[
          [t('activity.who'), nameActor(activity)],
          [t('activity.when'), formatDate(createdAt)],
          [t('activity.address'), address],
          [t('activity.request'), requestId],
        ]}
      />
      <div className="actions">
        <Button onPress={onClose}>{t('studio.close')}</Button>
      </div>
    </Dialog>
  )
}

const Changes = ({ of: changes }: { of: Activity['changes'] }) => (
  <div className="table changes">
    <table>
      <thead>
        <tr>
          <th>{t('activity.field')}</th>
          <th>{t('activity.before')}</th>
          <th>{t('activity.after')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, before, after }) => (
          <tr key={field}>
            <th scope="row">{labelOfField(field)}</th>
            {before === null && after === null ? (
              <td colSpan={2} className="quiet">
                {t('activity.notStored')}
              </td>
            ) : (
              <>
                <td>{renderValue(field, before)}</td>
                <td>{renderValue(field, after)}</td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

function renderValue(field: string, value: string | null) {
  if (value === null || value === '') return <span className="quiet">–</span>
  if (field === 'collectionId') return <Name grouping="collection" id={value} />
  if (field === 'creatorId') return <Name grouping="creator" id={value} />
  return TIME.test(value) ? formatDate(value) : value
}
