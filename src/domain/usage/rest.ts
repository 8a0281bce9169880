import { toSnake } from '../../platform/case.ts'
import type { Context } from '../../platform/context.ts'
import { CSV_TYPE, csvOf } from '../../platform/csv.ts'
import { parse } from '../../platform/input.ts'
import { download, routes } from '../../platform/rest.ts'
import { formatInput } from './schema.ts'
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

/** What is billed on. As JSON at most 10,000 rows, as CSV any number. */
export const usageRoutes = routes(
  {
    method: 'GET',
    path: '/usage',
    auth: 'key',
    handle: async ({ ctx, query }) =>
      parse(formatInput, query).format === 'csv'
        ? csv(ctx, 'usage', await usageTable(ctx, query))
        : { usage: await getUsage(ctx, query) },
  },
  {
    method: 'GET',
    path: '/usage/storage',
    auth: 'key',
    handle: async ({ ctx, query }) =>
      parse(formatInput, query).format === 'csv'
        ? csv(ctx, 'storage', await storageTable(ctx, query))
        : { usage: (await getStorageUsage(ctx, query)).map(shownStorage) },
  },
  {
    method: 'GET',
    path: '/usage/processing',
    auth: 'key',
    handle: async ({ ctx, query }) =>
      parse(formatInput, query).format === 'csv'
        ? csv(ctx, 'processing', await processingTable(ctx, query))
        : { usage: (await getProcessingUsage(ctx, query)).map(shownProcessing) },
  },
)

const shownStorage = ({ creatorId, collectionId, sourceBytes, fileBytes }: StorageRow) => ({
  ...{ creatorId, collectionId, sourceBytes, fileBytes },
})
const shownProcessing = ({ day, creatorId, collectionId, trackId, jobs, seconds }: ProcessingRow) => ({
  ...{ day, creatorId, collectionId, trackId, jobs, seconds },
})
