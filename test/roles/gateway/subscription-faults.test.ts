import { expect, test } from 'bun:test'
import { tone } from '../../support/audio.ts'
import { createTrack, LISTENING, setStatus, startReplica } from '../../support/live.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'
import { subscribe } from '../../support/subscriber.ts'

const service = useTestService()

const watch = (url: string, variables: object, isPersistent = false) =>
  subscribe(url, { key: service.demo.api_key, variables, isPersistent })

test('a change through one gateway is published by another', async () => {
  const [one, other] = [startReplica(service), startReplica(service)]
  const clients = [one, other].map(({ url }) => watch(url, {}))
  await Promise.all(clients.map((client) => client.connected()))
  const answer = await fetch(new URL('/v1/track', one.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${service.demo.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ collection_id: service.demo.collection_id, file_name: 'a.wav' }),
  })
  const { track_id: id } = (await answer.json()) as { track_id: string }
  const changeOf = (client: (typeof clients)[0]) => client.change('the new track', ({ trackId }) => trackId === id)
  const changes = await Promise.all(clients.map(changeOf))
  const expected = { status: 'INITIALIZED', track: { id } }
  expect(changes).toMatchObject([expected, expected])
  for (const client of clients) client.leave()
  await Promise.all([one.stop(), other.stop()])
})

test('a stopping gateway does not wait for its clients; they reconnect and get the final state', async () => {
  const id = await uploadTrack(service, await tone(1))
  const first = startReplica(service)
  const { port } = first
  const client = watch(first.url, { trackId: id }, true)
  await client.change('the state of now', ({ status }) => status === 'INITIALIZED')
  const began = performance.now()
  await first.stop()
  expect(performance.now() - began).toBeLessThan(2_000)
  await service.runJobs()
  const second = startReplica(service, port)
  const last = await client.change('the final state', ({ isFinal }) => isFinal)
  expect(last).toMatchObject({ status: 'READY', progressPercent: 100 })
  client.leave()
  await second.stop()
}, 60_000)

test('a client that reconnects with the last `changedAt` misses nothing', async () => {
  const { json } = await service.v1('POST', '/collection', { body: { title: 'C' } })
  const collectionId = json.collection.id
  const create = () => createTrack(service, collectionId)
  const [told, missed, deleted, waiting] = [await create(), await create(), await create(), await create()]
  const replica = startReplica(service)
  const before = watch(replica.url, { collectionId })
  await before.until('the states of now', () => before.changes().length >= 4)
  await setStatus(service, told, 'ready')
  const { changedAt } = await before.change('the first end', ({ isFinal }) => isFinal)
  before.leave()
  await setStatus(service, missed, 'ready')
  await service.v1('DELETE', `/track/${deleted}`)
  const after = watch(replica.url, { collectionId, since: changedAt })
  await after.until('all of them', () => after.changes().length >= 4)
  const states = after.changes().map(({ trackId, isFinal, isDeleted }) => [trackId, isFinal, isDeleted])
  expect(new Set(states)).toEqual(
    new Set([
      [told, true, false],
      [missed, true, false],
      [deleted, true, true],
      [waiting, false, false],
    ]),
  )
  after.leave()
  await replica.stop()
})

test('changes during a lost database connection are published after it is back, to every kind of subscriber', async () => {
  const id = await createTrack(service)
  const replica = startReplica(service)
  const { collection_id: collectionId } = service.demo
  const clients = [{ trackId: id }, { collectionId }, {}].map((variables) => watch(replica.url, variables))
  await Promise.all(clients.map((client) => client.change('the state of now', ({ trackId }) => trackId === id)))
  const { pool } = service.services
  // Ended before the change is committed, so that its notification is lost.
  const client = await pool.connect()
  await client.query('BEGIN')
  await client.query(`UPDATE track SET status = 'ready' WHERE id = $1`, [id])
  await pool.query(`SELECT pg_terminate_backend(pid, 5000) ${LISTENING}`)
  await client.query('COMMIT')
  client.release()
  const endOf = (watcher: (typeof clients)[0]) =>
    watcher.change('the final state', ({ trackId, isFinal }) => trackId === id && isFinal)
  expect(await Promise.all(clients.map(endOf))).toMatchObject(Array(3).fill({ status: 'READY', progressPercent: 100 }))
  for (const watcher of clients) watcher.leave()
  await replica.stop()
})
