import { z } from 'zod'
import { createdAt, flag, id, time } from '../../../platform/schema/fields.ts'
import { filter, filterShape } from '../../../platform/schema/record.ts'
import { uuidRule } from '../../../platform/schema/rules.ts'

export const batchDescription =
  'One variant that is applied to existing tracks, with one job for each track. Its jobs run after all uploads.'

export const batchFields = {
  id: id({ description: 'ID of the batch. UUID.' }),
  variantId: id({ description: 'ID of the variant that is applied.' }),
  collectionId: id({
    description: 'ID of the collection that it is limited to.',
    nullable: true,
    nullMeans: 'Null for all collections.',
  }),
  creatorId: id({
    description: 'ID of the creator that it is limited to.',
    nullable: true,
    nullMeans: 'Null for all creators.',
  }),
  isOnlyMissing: flag({ description: 'Whether stale and failed files are left out.' }),
  createdAt,
  cancelledAt: time({ description: 'Time of the cancellation.', nullable: true, nullMeans: 'Null unless cancelled.' }),
  finishedAt: time({ description: 'End of the last job.', nullable: true, nullMeans: 'Null until ended.' }),
}

export const batchFilters = {
  variantId: filter('ID', uuidRule, 'Batches of this variant.'),
  isFinished: filter('Boolean', z.boolean(), 'Whether all jobs have ended.'),
}
export const batchFilter = z.object(filterShape(batchFilters))
export type BatchFilter = z.output<typeof batchFilter>

/** Tracks that a variant is applied to. */
export const applyFilters = {
  collectionId: filter('ID', uuidRule, 'Tracks of this collection.'),
  creatorId: filter('ID', uuidRule, 'Tracks of this creator.'),
  isOnlyMissing: filter('Boolean', z.boolean(), 'Leaves out stale and failed files. Defaults to false.'),
}
export const applyFilter = z.object(filterShape(applyFilters))
export type ApplyFilter = z.output<typeof applyFilter>
