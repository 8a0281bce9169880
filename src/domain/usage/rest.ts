import { z } from 'zod'
import type { Context } from '../../platform/context.ts'
import { CSV_TYPE, csvOf } from '../../platform/http/csv.ts'
import { download, route } from '../../platform/http/rest.ts'
import { toSnake } from '../../platform/schema/case.ts'
import { parse } from '../../platform/schema/input.ts'
import * as shape from '../../platform/schema/shape.ts'
import { formatInput, processingInput, storageInput, usageInput } from './schema.ts'
import {
  getProcessingUsage,
  getStorageUsage,
  getUsage,
  type ProcessingRow,
  processingTable,
  type StorageRow,
  storageTable,
  streamTable,
  type Table,
  usageTable,
} from './service.ts'

/** A table as CSV: a line of names, then the rows, with the columns that were asked for alone. */
function csv(ctx: Context, name: string, table: Table) {
  async function* lines() {
    let head = csvOf([table.columns.map(toSnake)])
    // With the first rows, so that what is wrong can still be answered.
    for await (const rows of streamTable(ctx, table)) {
      yield head + csvOf(rows)
      head = ''
    }
  }
  return download({ contentType: CSV_TYPE, fileName: `${name}.csv`, chunks: lines() })
}

const grouped = (what: string) => shape.id(`${what}; null where not grouped by it, or where there is none.`).nullable()
const day = shape.text('UTC; null where not grouped by it.', '2026-05-04').nullable()
const owners = { creatorId: grouped('The creator'), collectionId: grouped('The collection') }

const usageShape = z
  .object({
    ...owners,
    trackId: grouped('The track'),
    keyId: grouped('The share key'),
    variantId: grouped('The variant'),
    day,
    requests: shape.wholeNumber('Stream links that led to a file: what is billed.', 1204),
    listens: shape.wholeNumber('One for each listener and file in 24 hours; no bots, probes and prefetches.', 871),
  })
  .meta({ id: 'Usage' })
const storageShape = z
  .object({
    ...owners,
    sourceBytes: shape.wholeNumber('Uploaded recordings.', 31_457_280),
    fileBytes: shape.wholeNumber('Finished files.', 12_582_912),
  })
  .meta({ id: 'StorageUsage' })
const processingShape = z
  .object({
    day,
    ...owners,
    trackId: grouped('The track'),
    jobs: shape.wholeNumber('That were carried out.', 12),
    seconds: shape.number("From the start of each job's last attempt to its end.", 84.2),
  })
  .meta({ id: 'ProcessingUsage' })
const tableOf = <const S extends z.ZodType>(row: S) => z.object({ usage: z.array(row) })

/** What is billed on. As JSON at most 10,000 rows, as CSV any number. */
export const usageRoutes = [
  route({
    method: 'GET',
    path: '/usage',
    auth: 'key',
    operation: 'getUsage',
    summary: 'How often stream links were opened.',
    query: usageInput.extend(formatInput.shape),
    answer: tableOf(usageShape),
    fileType: 'text/csv',
    handle: async ({ ctx, query }) =>
      parse(formatInput, query).format === 'csv'
        ? csv(ctx, 'usage', await usageTable(ctx, query))
        : { usage: await getUsage(ctx, query) },
  }),
  route({
    method: 'GET',
    path: '/usage/storage',
    auth: 'key',
    operation: 'getStorageUsage',
    summary: 'How many bytes are kept.',
    query: storageInput.extend(formatInput.shape),
    answer: tableOf(storageShape),
    fileType: 'text/csv',
    handle: async ({ ctx, query }) =>
      parse(formatInput, query).format === 'csv'
        ? csv(ctx, 'storage', await storageTable(ctx, query))
        : { usage: (await getStorageUsage(ctx, query)).map(toRestStorage) },
  }),
  route({
    method: 'GET',
    path: '/usage/processing',
    auth: 'key',
    operation: 'getProcessingUsage',
    summary: 'How long jobs took.',
    query: processingInput.extend(formatInput.shape),
    answer: tableOf(processingShape),
    fileType: 'text/csv',
    handle: async ({ ctx, query }) =>
      parse(formatInput, query).format === 'csv'
        ? csv(ctx, 'processing', await processingTable(ctx, query))
        : { usage: (await getProcessingUsage(ctx, query)).map(toRestProcessing) },
  }),
]

const toRestStorage = ({ creatorId, collectionId, sourceBytes, fileBytes }: StorageRow) => ({
  ...{ creatorId, collectionId, sourceBytes, fileBytes },
})
const toRestProcessing = ({ day, creatorId, collectionId, trackId, jobs, seconds }: ProcessingRow) => ({
  ...{ day, creatorId, collectionId, trackId, jobs, seconds },
})
