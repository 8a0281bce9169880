import { z } from 'zod'
import { toSnake } from '../../platform/case.ts'
import type { Context } from '../../platform/context.ts'
import { CSV_TYPE, writeCsv } from '../../platform/http/csv.ts'
import { download, route } from '../../platform/http/rest.ts'
import type { Fields } from '../../platform/schema/fields.ts'
import { toRest } from '../../platform/schema/record.ts'
import { readScope } from '../access/viewer.ts'
import { readAudience } from './audience.ts'
import { withNameColumns, withNames } from './names.ts'
import {
  type AudienceRow,
  audienceFields,
  audienceFormatInput,
  audienceInput,
  audienceShape,
  type Format,
  formatInput,
  processingFields,
  processingInput,
  processingShape,
  storageFields,
  storageInput,
  storageShape,
  usageFields,
  usageInput,
  usageShape,
} from './record.ts'
import { processingTable, readTable, storageTable, streamTable, type UsageTable, usageTable } from './service.ts'

/** A table as CSV: a header line and the rows, with only the requested columns, and with names for `named_csv`. */
function csv(ctx: Context, name: string, table: UsageTable, format: Format) {
  const isNamed = format === 'named_csv'
  const { organizationId } = readScope(ctx)
  async function* lines() {
    let head = writeCsv([(isNamed ? withNameColumns(table.columns) : table.columns).map(toSnake)])
    // The header is sent with the first rows, so that an error before them can still be answered.
    for await (const rows of streamTable(ctx, table)) {
      yield head + writeCsv(isNamed ? await withNames(ctx, organizationId, table.columns, rows) : rows)
      head = ''
    }
  }
  return download({ contentType: CSV_TYPE, fileName: `${name}.csv`, chunks: lines() })
}

async function* audienceLines(rows: readonly AudienceRow[]) {
  yield writeCsv([Object.keys(audienceFields), ...rows.map(({ value, listens }) => [value, listens])])
}

async function json<F extends Fields>(ctx: Context, fields: F, table: UsageTable) {
  const rows = await readTable<Parameters<typeof toRest<F>>[1]>(ctx, table)
  return { usage: rows.map((row) => toRest(fields, row)) }
}

/** Usage, for billing. */
export const usageRoutes = [
  route({
    method: 'GET',
    path: '/usage',
    auth: 'key',
    operation: 'getUsage',
    summary: 'Returns play requests and listens.',
    query: usageInput.extend(formatInput.shape),
    answer: z.object({ usage: z.array(usageShape) }),
    fileType: 'text/csv',
    handle: async ({ ctx, query }) => {
      const isCsv = query.format !== 'json'
      const table = await usageTable(ctx, query, isCsv)
      return isCsv ? csv(ctx, 'usage', table, query.format) : json(ctx, usageFields, table)
    },
  }),
  route({
    method: 'GET',
    path: '/usage/audience',
    auth: 'key',
    operation: 'getAudience',
    summary: 'Returns listens by one property of the listeners.',
    query: audienceInput.extend(audienceFormatInput.shape),
    answer: z.object({ audience: z.array(audienceShape) }),
    fileType: 'text/csv',
    handle: async ({ ctx, query: { format, ...input } }) => {
      const rows = await readAudience(ctx, input)
      return format === 'json'
        ? { audience: rows.map((row) => toRest(audienceFields, row)) }
        : download({ contentType: CSV_TYPE, fileName: `audience-${input.by}.csv`, chunks: audienceLines(rows) })
    },
  }),
  route({
    method: 'GET',
    path: '/usage/storage',
    auth: 'key',
    operation: 'getStorageUsage',
    summary: 'Returns the bytes in storage.',
    query: storageInput.extend(formatInput.shape),
    answer: z.object({ usage: z.array(storageShape) }),
    fileType: 'text/csv',
    handle: async ({ ctx, query }) => {
      const table = storageTable(ctx, query)
      return query.format === 'json' ? json(ctx, storageFields, table) : csv(ctx, 'storage', table, query.format)
    },
  }),
  route({
    method: 'GET',
    path: '/usage/processing',
    auth: 'key',
    operation: 'getProcessingUsage',
    summary: 'Returns the processing time of jobs.',
    query: processingInput.extend(formatInput.shape),
    answer: z.object({ usage: z.array(processingShape) }),
    fileType: 'text/csv',
    handle: async ({ ctx, query }) => {
      const table = processingTable(ctx, query)
      return query.format === 'json' ? json(ctx, processingFields, table) : csv(ctx, 'processing', table, query.format)
    },
  }),
]
