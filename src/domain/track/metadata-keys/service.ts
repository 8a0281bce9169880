import type { Context } from '../../../platform/context.ts'
import { Values } from '../../../platform/db/query/statement.ts'
import { readScope } from '../../access/viewer.ts'

/** Latest records of each kind whose metadata is read. */
export const READ_RECORDS = 500
export const MAX_KEYS = 100

/** Returns the keys of the metadata of the latest collections and tracks, most used first. */
export async function listMetadataKeys(ctx: Context): Promise<string[]> {
  const { organizationId, collectionId, creatorId } = readScope(ctx)
  const values = new Values()
  const readLatest = (table: string, conditions: string[]) => {
    const owners = creatorId ? [...conditions, `creator_id = ${values.add(creatorId)}`] : conditions
    const matches = [`organization_id = ${values.add(organizationId)}`, 'deleted_at IS NULL', ...owners]
    return `(SELECT metadata FROM ${table} WHERE ${matches.join(' AND ')}
      ORDER BY created_at DESC, id DESC LIMIT ${READ_RECORDS})`
  }
  const only = (column: string) => (collectionId ? [`${column} = ${values.add(collectionId)}`] : [])
  const latest = [
    readLatest('collection', only('id')),
    readLatest('track', ['replaces_id IS NULL', ...only('collection_id')]),
  ]
  const text = `SELECT key FROM (${latest.join(' UNION ALL ')}) latest, jsonb_object_keys(metadata) key
    GROUP BY key ORDER BY count(*) DESC, key LIMIT ${MAX_KEYS}`
  const rows = await ctx.lists.query(values.statement(text), ctx.signal)
  return rows.map(([key]) => key as string)
}
