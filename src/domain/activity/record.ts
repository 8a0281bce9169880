import { z } from 'zod'
import { ActivityAction, ActivityRecord, ActorKind } from '../../platform/db/generated/client/enums.ts'
import { choice, id, text, time } from '../../platform/schema/fields.ts'
import { createdFilters, filter, filterShape, searchFilter } from '../../platform/schema/record.ts'
import { uuidRule } from '../../platform/schema/rules.ts'

export const activityFields = {
  id: id({ description: 'ID of the activity. UUID.' }),
  action: choice('ActivityAction', ActivityAction, { description: 'What was done.' }),
  record: choice('ActivityRecord', ActivityRecord, { description: 'Type of the record.' }),
  recordId: id({ description: 'ID of the record, which may have been deleted since.' }),
  recordName: text({ description: 'Name of the record after the change, as it was then.' }),
  actorKind: choice('ActorKind', ActorKind, { description: 'Whether an administrator or a key did it.' }),
  actorId: id({ description: 'ID of the administrator or the key.' }),
  actorName: text({ description: 'Email address of the administrator, or title of the key, as it was then.' }),
  requestId: text({
    description: 'ID of the request, which the log of the service contains as well.',
    nullable: true,
    nullMeans: 'Null for sign-ins.',
  }),
  createdAt: time({ description: 'Time of the change.' }),
}

export const activityFilters = {
  record: filter('ActivityRecord', z.enum(ActivityRecord), 'Changes of records of this type.'),
  recordId: filter('ID', uuidRule, 'Changes of this record.'),
  action: filter('ActivityAction', z.enum(ActivityAction), 'Changes of this kind.'),
  actorId: filter('ID', uuidRule, 'Changes by this administrator or key.'),
  search: searchFilter('the names of records and actors'),
  ...createdFilters,
}
export const activityFilter = z.object(filterShape(activityFilters))
export type ActivityFilter = z.output<typeof activityFilter>
