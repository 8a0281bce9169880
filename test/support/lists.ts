import { insertAdministrator } from '../../src/domain/access/administrator/service.ts'
import { issueKey } from '../../src/domain/access/key/keys.ts'
import { insertVariant, resolveProps } from '../../src/domain/variant/service.ts'
import { fillLibrary } from './library.ts'
import type { TestService } from './service.ts'

/** Number of records that each list has at least. */
export const MIN_ROWS = 4

/** IDs of one or two records of each type with lists of its own, by the name of the type in GraphQL. */
export type Parents = Record<string, readonly string[]>

/** Fills all lists of an organization, and those of two records of each type. @returns these records */
export async function fillLists(service: TestService, organizationId: string): Promise<Parents> {
  const { db, pool } = service.services
  const each = Array.from({ length: MIN_ROWS }, (_, n) => n)
  for (const n of each) {
    const props = resolveProps('transcode', {})
    await insertVariant(db, { organizationId, trackId: null, type: 'transcode', index: `list-${n}`, props })
    // Some with the same title.
    await issueKey(service.services, organizationId, 'player', { title: `Key ${n % 2}` })
    const email = `${crypto.randomUUID()}@example.com`
    await insertAdministrator(service.services, organizationId, { email, role: 'viewer' })
  }
  // Of five creators in turns.
  await fillLibrary(pool, organizationId, { collections: 5 * MIN_ROWS, tracks: 2 * MIN_ROWS })
  const query = { where: { organizationId }, select: { id: true }, take: 2 } as const
  const creators = await db.creator.findMany({ ...query, orderBy: { organizationIndex: 'asc' } })
  const filled = { organizationId, title: { startsWith: 'Collection ' } }
  const collections = await db.collection.findMany({ ...query, where: filled, orderBy: { createdAt: 'desc' } })
  const [collection] = collections as [{ id: string }]
  const inside = { collectionId: collection.id, order: { lte: MIN_ROWS } }
  const tracks = await db.track.findMany({ ...query, where: inside, orderBy: { order: 'asc' } })
  const deletedAt = new Date()
  await db.track.updateMany({ where: { ...inside, order: { gt: MIN_ROWS } }, data: { deletedAt } })
  const deleted = each.map((n) => ({ organizationId, title: `Deleted ${n}`, deletedAt }))
  await db.collection.createMany({ data: deleted })

  const variantId = (await db.variant.findFirstOrThrow({ where: { organizationId } })).id
  for (const n of each) {
    // Some with the same time and number of jobs.
    const createdAt = new Date(Date.UTC(2026, 0, 1 + (n % 2)))
    await db.batch.create({ data: { organizationId, variantId, total: n % 2, createdAt } })
    const url = `https://example.com/${n}`
    await db.webhookEndpoint.create({ data: { organizationId, url, secrets: ['sealed'], createdAt } })
  }
  const batches = await db.batch.findMany(query)
  const ended = { kind: 'process_variant', state: 'failed', finishedAt: deletedAt } as const
  for (const n of each) {
    for (const at of [0, 1]) {
      const work = { variantId, trackId: tracks[at]?.id, batchId: batches[at]?.id, attempts: n % 2 }
      await db.job.create({ data: { organizationId, ...ended, ...work } })
    }
    const data = { organization_id: organizationId, collection_id: collection.id, collection: { title: 'T' } }
    const subject = { organizationId, collectionId: collection.id }
    await db.event.create({ data: { ...subject, type: 'collection.updated', data } })
  }
  const activity = {
    action: 'created',
    record: 'track',
    actorKind: 'key',
    recordName: 'Track',
    actorName: 'Key',
  } as const
  for (const n of each) {
    const createdAt = new Date(Date.UTC(2026, 0, 1 + (n % 2)))
    const ids = { recordId: crypto.randomUUID(), actorId: crypto.randomUUID() }
    await db.activity.create({ data: { organizationId, ...activity, ...ids, createdAt } })
  }
  const endsAt = new Date(Date.now() + 3_600_000)
  const sessions = collections.map(({ id }) => ({
    id: crypto.randomUUID(),
    organizationId,
    collectionId: id,
    expiresAt: endsAt,
  }))
  await db.playSession.createMany({ data: sessions })
  const parents = {
    Organization: [{ id: organizationId }],
    Creator: creators,
    Collection: collections,
    Track: tracks,
    Batch: batches,
    WebhookEndpoint: await db.webhookEndpoint.findMany(query),
    PlaySession: sessions,
  }
  return Object.fromEntries(Object.entries(parents).map(([type, rows]) => [type, rows.map(({ id }) => id)]))
}
