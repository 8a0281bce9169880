import { formatDate, t } from '../../strings.ts'
import type { ActivityRowFragment as Activity } from '../generated/operations.ts'
import { labelOfField } from './fields.ts'

/** The action with its type of record, as a title: `Collection changed`. */
export const titleOfActivity = ({ action, record }: Pick<Activity, 'action' | 'record'>): string =>
  `${t(`activity.of${record}`)} ${t(`activity.${action}`)}`

/** Who did it. */
export const nameActor = ({ actorKind, actorName }: Pick<Activity, 'actorKind' | 'actorName'>): string =>
  actorKind === 'KEY' ? `${t('activity.key')} ${actorName}` : actorName

/** The changed fields, who changed them, and when. */
export const describeActivity = (activity: Activity): string =>
  [
    activity.changes.map(({ field }) => labelOfField(field)).join(', '),
    // Who signed in is the record, too.
    activity.actorName !== activity.recordName && nameActor(activity),
    formatDate(activity.createdAt),
  ]
    .filter(Boolean)
    .join(' · ')

/** Pages of the records that have one. */
const pages: Partial<Record<Activity['record'], string>> = {
  COLLECTION: '/collection/',
  CREATOR: '/creator/',
  TRACK: '/track/',
}

/** The page of the record. Null without one, and for a record that was deleted. */
export function findPage({
  action,
  record,
  recordId,
}: Pick<Activity, 'action' | 'record' | 'recordId'>): string | null {
  const page = pages[record]
  return page && action !== 'DELETED' ? page + recordId : null
}
