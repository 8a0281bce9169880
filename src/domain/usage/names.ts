import type { Context } from '../../platform/context.ts'
import { type CatalogRow, readTitle } from '../track/catalog/effective.ts'
import { groupNames } from './table.ts'

/** IDs and names of records of an organization, those that were deleted included. */
type Find = (ctx: Context, where: { id: { in: string[] }; organizationId: string }) => Promise<[string, string][]>

const findTitles: Find = async (ctx, where) => {
  const select = { id: true, playerTitle: true, fileName: true, fileNameOriginal: true, info: true } as const
  const rows = await ctx.lists.readMany('Track', { where, select }, ctx.signal)
  return rows.map((row) => [row.id, readTitle(row as Pick<CatalogRow, keyof typeof select & keyof CatalogRow>)])
}

/** The name of each group of records: its column in a table, and how it is found. */
const namings: Record<string, { column: string; find: Find }> = {
  [groupNames.creator]: {
    column: 'creatorOrganizationIndex',
    find: async (ctx, where) => {
      const rows = await ctx.lists.readMany(
        'Creator',
        { where, select: { id: true, organizationIndex: true } },
        ctx.signal,
      )
      return rows.map(({ id, organizationIndex }) => [id, organizationIndex])
    },
  },
  [groupNames.collection]: {
    column: 'collectionTitle',
    find: async (ctx, where) => {
      const rows = await ctx.lists.readMany('Collection', { where, select: { id: true, title: true } }, ctx.signal)
      return rows.map(({ id, title }) => [id, title])
    },
  },
  [groupNames.track]: { column: 'trackTitle', find: findTitles },
  [groupNames.key]: {
    column: 'keyTitle',
    find: async (ctx, where) => {
      const rows = await ctx.lists.readMany('ApiKey', { where, select: { id: true, title: true } }, ctx.signal)
      return rows.map(({ id, title }) => [id, title])
    },
  },
  [groupNames.variant]: {
    column: 'variantIndex',
    find: async (ctx, where) => {
      const rows = await ctx.lists.readMany('Variant', { where, select: { id: true, index: true } }, ctx.signal)
      return rows.map(({ id, index }) => [id, index])
    },
  },
}

/** Returns the columns of a table with a column for the name of each record, after that of its ID. */
export const withNameColumns = (columns: readonly string[]): string[] =>
  columns.flatMap((column) => [column, ...(namings[column] ? [namings[column].column] : [])])

/** Returns rows with the names of their records. Null for a record that does not exist any more. */
export async function withNames(
  ctx: Context,
  organizationId: string,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): Promise<unknown[][]> {
  const names = await Promise.all(
    columns.map(async (column, at) => {
      const ids = [...new Set(rows.flatMap((row) => (row[at] as string | null) ?? []))]
      return namings[column] && new Map(await namings[column].find(ctx, { id: { in: ids }, organizationId }))
    }),
  )
  return rows.map((row) =>
    row.flatMap((value, at) => (names[at] ? [value, names[at].get(value as string) ?? null] : [value])),
  )
}
