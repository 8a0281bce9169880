import { useState } from 'react'
import { Link } from 'wouter'
import { t } from '../../strings.ts'
import { useData } from '../api.ts'
import { LatestActivitiesDocument } from '../generated/operations.ts'
import { Answered } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { ActivityDialog } from './activity-dialog.tsx'
import { describeActivity, titleOfActivity } from './activity-text.ts'

/** The latest changes of a record. */
export function LatestActivities({ recordId }: { recordId: string }) {
  const answer = useData(LatestActivitiesDocument, { recordId })
  const [openId, setOpenId] = useState<string | null>(null)
  return (
    <section>
      <h2>{t('studio.activity')}</h2>
      <Answered of={answer}>
        {({ activities: { nodes, pageInfo } }) => {
          const open = nodes.find(({ id }) => id === openId)
          return (
            <>
              {nodes.length === 0 && <p>{t('activity.none')}</p>}
              <ul className="setting-list">
                {nodes.map((activity) => (
                  <li key={activity.id}>
                    <span className="lines">
                      <strong>{titleOfActivity(activity)}</strong>
                      <span className="detail">{describeActivity(activity)}</span>
                    </span>
                    <Button onPress={() => setOpenId(activity.id)}>{t('activity.open')}</Button>
                  </li>
                ))}
              </ul>
              {pageInfo.hasNextPage && <Link href={`/activity?id=${recordId}`}>{t('activity.all')}</Link>}
              {open && <ActivityDialog activity={open} onClose={() => setOpenId(null)} />}
            </>
          )
        }}
      </Answered>
    </section>
  )
}
