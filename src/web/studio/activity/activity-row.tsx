import { t } from '../../strings.ts'
import type { ActivityRowFragment as Activity } from '../generated/operations.ts'
import { describeActivity, titleOfActivity } from './activity-text.ts'

/** A change in a list. */
export const renderActivity = (activity: Activity) => (
  <>
    <span className="lines">
      <strong>{activity.recordName || t(`activity.of${activity.record}`)}</strong>
      <span className="detail">{describeActivity(activity)}</span>
    </span>
    <span className={activity.action === 'DELETED' || activity.action === 'REVOKED' ? 'badge wrong' : 'badge'}>
      {titleOfActivity(activity)}
    </span>
  </>
)
