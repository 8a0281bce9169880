// The log of changes that end deliveries, which edges read (decision 0015).
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { forgetListenersTask } from '../../../src/domain/playback/housekeeping.task.ts'
import * as database from '../../support/administrators.ts'
import { playableTrack } from '../../support/playable.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
const rowsOf = async (text: string, values?: unknown[]) => (await database.sql(service, text, values)).rows

async function createTrack() {
  const { json } = await service.v1('POST', '/collection', { body: { title: 'Of a test' } })
  const collectionId: string = json.collection_id
  return { collectionId, trackId: await playableTrack(service, { collectionId, made: ['hq'] }) }
}
const changesOf = async (ids: string[]) =>
  (await rowsOf('SELECT subject FROM ledger.delivery_change WHERE subject = ANY ($1)', [ids])).map(
    ({ subject }) => subject,
  )

test('has the changes that end a delivery, and no others', async () => {
  const { collectionId, trackId } = await createTrack()
  const changes = () => changesOf([collectionId, trackId, service.demo.organization_id])
  await service.v1('PUT', `/track/${trackId}`, { body: { player_title: 'New' } })
  await service.v1('PUT', `/collection/${collectionId}`, { body: { title: 'New' } })
  await rowsOf('UPDATE track_file SET path = path, state = state WHERE track_id = $1', [trackId])
  await rowsOf(`UPDATE organization SET name = 'New', domain = 'new.example.com' WHERE id = $1`, [
    service.demo.organization_id,
  ])
  expect(await changes()).toEqual([])
  await rowsOf(`UPDATE track_file SET path = 'elsewhere.m4a' WHERE track_id = $1`, [trackId])
  expect(await changes()).toEqual([trackId])
  await service.v1('DELETE', `/track/${trackId}`)
  expect(await changes()).toEqual([trackId, trackId])
  await service.v1('DELETE', `/collection/${collectionId}`)
  expect(await changes()).toEqual([trackId, trackId, collectionId])
})

test('is not written by changes of share keys, which end stream links only', async () => {
  const { trackId } = await createTrack()
  const [key] = await rowsOf(`SELECT id FROM api_key WHERE kind = 'share' LIMIT 1`)
  await rowsOf('UPDATE api_key SET expires_at = now() WHERE id = $1', [key.id])
  expect(await changesOf([key.id, trackId])).toEqual([])
})

test('is read without the rows of another cluster, whose numbers of transactions are still to come', async () => {
  const { trackId } = await createTrack()
  const [{ since }] = await rowsOf('SELECT pg_current_snapshot()::text AS since')
  await rowsOf(`INSERT INTO ledger.delivery_change (transaction_id, subject) VALUES ('9000000000000000000', $1)`, [
    trackId,
  ])
  expect(await rowsOf('SELECT changes FROM ledger.changes_since($1)', [since])).toEqual([{ changes: null }])
})

test('is deleted after a day', async () => {
  const [old, recent] = [randomUUID(), randomUUID()]
  await rowsOf(
    `INSERT INTO ledger.delivery_change (subject, changed_at)
     VALUES ($1, now() - interval '25 hours'), ($2, now() - interval '23 hours')`,
    [old, recent],
  )
  await forgetListenersTask.run(service.services, {}, { signal: new AbortController().signal, attempt: 1 })
  expect(await changesOf([old, recent])).toEqual([recent])
})
