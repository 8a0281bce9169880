import type { ActivityAction, ActivityRecord, ActorKind } from '../../platform/db/generated/client/enums.ts'
import { builder, defineEnum } from '../../platform/graphql/builder.ts'
import { defineList } from '../../platform/graphql/list.ts'
import { defineNode, Node } from '../../platform/graphql/node.ts'
import { needsColumns } from '../../platform/graphql/plan.ts'
import { withPrice } from '../../platform/graphql/price.ts'
import { expose } from '../../platform/graphql/record.ts'
import { personScope } from '../access/viewer.ts'
import { activityFields, activityFilter, activityFilters } from './record.ts'
import {
  countActivities,
  type FieldChange,
  findActivities,
  getActivity,
  readActorAddress,
  readChanges,
} from './service.ts'

defineEnum<ActivityAction>('ActivityAction', 'What was done.', {
  created: 'The record was created.',
  updated: 'Fields of the record were changed.',
  deleted: 'The record was deleted.',
  restored: 'The deleted record was restored.',
  revoked: 'The key was revoked.',
  signed_in: 'The administrator signed in.',
})
defineEnum<ActivityRecord>('ActivityRecord', 'Type of a record whose changes are recorded.', {
  organization: 'The organization itself.',
  creator: 'A creator.',
  collection: 'A collection.',
  track: 'A track. A change of `recording` is the upload of a new one.',
  variant: 'A variant.',
  key: 'A key.',
  administrator: 'An administrator.',
  invitation: 'An invitation.',
  passkey: 'A passkey.',
  webhook_endpoint: 'A webhook endpoint.',
})
defineEnum<ActorKind>('ActorKind', 'Who makes a change.', {
  administrator: 'A person who signed in.',
  key: 'A key.',
})

const FieldChangeObject = builder.objectRef<FieldChange>('FieldChange').implement({
  description: 'A field that was changed.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'Name of the field.' }),
    before: t.exposeString('before', {
      nullable: true,
      description: 'Value before the change, as text or JSON. Null without one, and for secret values and long texts.',
    }),
    after: t.exposeString('after', { nullable: true, description: 'Value after the change, as `before`.' }),
  }),
})

builder.prismaObject('Activity', {
  interfaces: [Node],
  description: 'A change that an administrator or a key made, or a sign-in. Kept for a year by default.',
  fields: (t) => ({
    ...expose(t, activityFields),
    changes: t.field({
      type: [FieldChangeObject],
      description: 'The changed fields. Empty unless the action is UPDATED.',
      ...withPrice(needsColumns('changes'), { items: 3 }),
      resolve: (activity) => readChanges(activity),
    }),
    address: t.string({
      nullable: true,
      description: 'IP address of the client. Null if unknown, and for administrators with the role viewer.',
      ...needsColumns('address'),
      resolve: (activity, _, ctx) => readActorAddress(ctx, activity),
    }),
  }),
})

defineNode('Activity', { model: 'Activity', permit: personScope, find: getActivity })
defineList({
  model: 'Activity',
  records: 'activities',
  filters: activityFilters,
  filter: activityFilter,
  orderBy: { createdAt: 'Time of the change.' },
}).query({
  description: 'Lists what administrators and keys have changed, and sign-ins. Administrators only.',
  permit: personScope,
  find: findActivities,
  count: countActivities,
})
