// The log of changes that end deliveries, which edges read (decision 0015).
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { forgetListenersTask } from '../../../src/domain/playback/housekeeping.task.ts'
import * as database from '../../support/administrators.ts'
import { playableTrack } from '../../support/playable.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
const readRows = async (text: string, values?: unknown[]) => (await database.sql(service, text, values)).rows

async function createTrack() {
  const { json } = await service.v1('POST', '/collection', { body: { title: 'Of a test' } })
  const collectionId: string = json.collection_id
  return { collectionId, trackId: await playableTrack(service, { collectionId, indexes: ['hq'] }) }
}
const readChanges = async (ids: string[]) =>
  (await readRows('SELECT subject FROM ledger.delivery_change WHERE subject = ANY ($1)', [ids])).map(
    ({ subject }) => subject,
  )

test('has the changes that end a delivery, and no others', async () => {
  const { collectionId, trackId } = await createTrack()
  const changes = () => readChanges([collectionId, trackId, service.demo.organization_id])
  await service.v1('PUT', `/track/${trackId}`, { body: { player_title: 'New' } })
  await service.v1('PUT', `/collection/${collectionId}`, { body: { title: 'New' } })
  await readRows('UPDATE track_file SET path = path, state = state WHERE track_id = $1', [trackId])
  await readRows(`UPDATE organization SET name = 'New', domain = 'new.example.com' WHERE id = $1`, [
    service.demo.organization_id,
  ])
  expect(await changes()).toEqual([])
  await readRows(`UPDATE track_file SET path = 'elsewhere.m4a' WHERE track_id = $1`, [trackId])
  expect(await changes()).toEqual([trackId])
  await service.v1('DELETE', `/track/${trackId}`)
  expect(await changes()).toEqual([trackId, trackId])
  await service.v1('DELETE', `/collection/${collectionId}`)
  expect(await changes()).toEqual([trackId, trackId, collectionId])
})

test('is not written by changes of share keys, which end stream links only', async () => {
  const { trackId } = await createTrack()
  const [key] = await readRows(`SELECT id FROM api_key WHERE kind = 'share' LIMIT 1`)
  await readRows('UPDATE api_key SET expires_at = now() WHERE id = $1', [key.id])
  expect(await readChanges([key.id, trackId])).toEqual([])
})

test('is read without the rows of another cluster, whose numbers of transactions are still to come', async () => {
  const { trackId } = await createTrack()
  const [{ since }] = await readRows('SELECT pg_current_snapshot()::text AS since')
  await readRows(`INSERT INTO ledger.delivery_change (transaction_id, subject) VALUES ('9000000000000000000', $1)`, [
    trackId,
  ])
  expect(await readRows('SELECT changes FROM ledger.changes_since($1)', [since])).toEqual([{ changes: null }])
})

test('is deleted after a day', async () => {
  const [old, recent] = [randomUUID(), randomUUID()]
  await readRows(
    `INSERT INTO ledger.delivery_change (subject, changed_at)
     VALUES ($1, now() - interval '25 hours'), ($2, now() - interval '23 hours')`,
    [old, recent],
  )
  await forgetListenersTask.run(service.services, {}, { signal: new AbortController().signal, attempt: 1 })
  expect(await readChanges([old, recent])).toEqual([recent])
})
