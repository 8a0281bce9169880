import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { issueKey } from '../../../src/domain/access/key/keys.ts'
import { tone } from '../../support/audio.ts'
import { createTrack, LISTENING, setProgress, setStatus, startReplica } from '../../support/live.ts'
import { type Json, uploadTrack, useTestService } from '../../support/service.ts'
import { type Subscriber, subscribe, type Watch } from '../../support/subscriber.ts'

afterAll(() => replica.stop())
const service = useTestService()
let replica: ReturnType<typeof startReplica>
beforeAll(async () => {
  replica = startReplica(service)
}, 60_000)
const clients: Subscriber[] = []
function watch(variables: object, options: Partial<Watch> = {}): Subscriber {
  const client = subscribe(replica.url, { key: service.demo.api_key, variables, ...options })
  clients.push(client)
  return client
}
/** Also after a test that failed: its clients must not be counted as left behind in those that follow. */
afterEach(async () => {
  for (const client of clients.splice(0)) client.leave()
  await untilNobody()
})
const newCollection = async (): Promise<string> =>
  (await service.v1('POST', '/collection', { body: { title: 'C' } })).json.collection.id
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
/** Waits until no subscription is counted. */
async function untilNobody(): Promise<void> {
  const deadline = performance.now() + 10_000
  while (replica.notifications.count() > 0 && performance.now() < deadline) await nextTurn()
  expect(replica.notifications.count()).toBe(0)
}

describe('one track', () => {
  test('starts with the current state, then follows upload and processing with progress', async () => {
    const id = await uploadTrack(service, await tone(1))
    const client = watch({ trackId: id })
    await client.change('the state of now', ({ status }) => status === 'INITIALIZED')
    await service.runJobs()
    await client.change('the end', ({ isFinal }) => isFinal)
    const [first, last] = [client.changes()[0], client.changes().at(-1)]
    expect(first).toMatchObject({ trackId: id, progressPercent: 0, isFinal: false, isDeleted: false })
    expect(last).toMatchObject({ status: 'READY', progressPercent: 100, track: { id, status: 'READY' } })
    expect(client.changes().map(({ status }) => status)).toContain('PROCESSING')
    client.leave()
  }, 60_000)

  test('sends a final state at once, and stays open for the next run', async () => {
    const id = await createTrack(service)
    await setStatus(service, id, 'ready')
    const client = watch({ trackId: id })
    await client.change('the state of now', ({ status }) => status === 'READY')
    await setProgress(service, id, 40)
    await setStatus(service, id, 'processing')
    const again = await client.change('a new run', ({ status }) => status === 'PROCESSING')
    expect(again).toMatchObject({ progressPercent: 0, isFinal: false })
    await setProgress(service, id, 50)
    await client.change('half of it', ({ progressPercent }) => progressPercent === 50)
    const { data } = await service.graphql('query ($id: ID!) { track(id: $id) { progressPercent } }', { id })
    expect(data.track.progressPercent).toBe(50)
    await setStatus(service, id, 'ready')
    await client.until('the end', () => client.changes().at(-1)?.isFinal)
    const { data: now } = await service.graphql('query ($id: ID!) { track(id: $id) { progressPercent } }', { id })
    expect(now.track.progressPercent).toBeNull()
    client.leave()
  })

  test('sends the deletion', async () => {
    const id = await createTrack(service)
    const client = watch({ trackId: id })
    await client.change('the state of now', () => true)
    await service.v1('DELETE', `/track/${id}`)
    const deleted = await client.change('its end', ({ isDeleted }) => isDeleted)
    expect(deleted).toMatchObject({ isFinal: true, progressPercent: 100, track: { id } })
    client.leave()
  })

  test('loads related records for every change', async () => {
    const id = await createTrack(service)
    const query = `subscription ($trackId: ID) { trackChanged(trackId: $trackId) {
      status track { fileName collection { title } files { state } variants { index } coverImage { large { url } } } } }`
    const tracks: unknown[] = []
    for (let i = 0; i < 3; i++) {
      const client = watch({ trackId: id }, { query })
      tracks.push((await client.change('the state of now', () => true)).track)
      client.leave()
    }
    const collection = { title: 'First collection' }
    expect(tracks).toEqual(Array(3).fill({ fileName: 'a.wav', collection, files: [], variants: [], coverImage: null }))
  })

  test('a rolled back change is not published', async () => {
    const [id, other] = [await createTrack(service), await createTrack(service)]
    const client = watch({ collectionId: service.demo.collection_id })
    await client.change('the state of now', ({ trackId }) => trackId === other)
    await service.services.db
      .$transaction(async (tx) => {
        await tx.track.update({ where: { id }, data: { status: 'ready' } })
        throw new Error('rolled back')
      })
      .catch(() => {})
    await setStatus(service, other, 'ready')
    await client.change('the other', ({ trackId, isFinal }) => trackId === other && isFinal)
    expect(client.changes().filter(({ trackId, isFinal }) => trackId === id && isFinal)).toEqual([])
    client.leave()
  })
})

describe('several tracks', () => {
  test('starts with tracks that are not final; with `since` also those that became final or were deleted', async () => {
    const since = new Date(Date.now() - 1000).toISOString()
    const collectionId = await newCollection()
    const witness = watch({ collectionId })
    const create = () => createTrack(service, collectionId)
    const waiting = await create()
    await witness.change('the first track', ({ trackId }) => trackId === waiting)
    const [running, ready, deleted] = [await create(), await create(), await create()]
    await setStatus(service, running, 'processing')
    await setStatus(service, ready, 'ready')
    await service.v1('DELETE', `/track/${deleted}`)
    // Notifications arrive in the order of their commits: none of those above arrives later.
    await witness.change('the deletion', ({ trackId, isDeleted }) => trackId === deleted && isDeleted)
    witness.leave()
    const told = async (variables: object, ids: string[]) => {
      const client = watch({ collectionId, ...variables })
      await client.until('all of them', () => client.changes().length >= ids.length)
      // Any other change would have arrived before this one.
      await setProgress(service, running, 1 + Number(ids.length))
      await client.change('the next change', ({ progressPercent }) => progressPercent === 1 + ids.length)
      client.leave()
      expect(
        client
          .changes()
          .slice(0, -1)
          .map(({ trackId }: Json) => trackId),
      ).toEqual(ids)
      return client.changes()
    }
    await told({}, [waiting, running])
    const all = await told({ since }, [waiting, running, ready, deleted])
    expect(all.map(({ isDeleted }) => isDeleted)).toEqual([false, false, false, true, false])
    await told({ since: new Date(Date.now() + 60_000).toISOString() }, [waiting, running])
  })

  test('covers the collection or the organization, including new tracks, and no other collection', async () => {
    const [one, other] = [await newCollection(), await newCollection()]
    const ofOne = watch({ collectionId: one })
    const ofAll = watch({})
    await Promise.all([ofOne.connected(), ofAll.connected()])
    const [theirs, ours] = [await createTrack(service, other), await createTrack(service, one)]
    await ofOne.change('ours', ({ trackId }) => trackId === ours)
    await ofAll.change('both', ({ trackId }) => trackId === ours)
    expect(ofAll.changes().map(({ trackId }) => trackId)).toEqual(expect.arrayContaining([ours, theirs]))
    expect(ofOne.changes().map(({ trackId }) => trackId)).toEqual([ours])
    ofOne.leave()
    ofAll.leave()
  })

  test('more tracks than one batch, without gaps', async () => {
    const collectionId = await newCollection()
    const { rows } = await service.services.pool.query(
      `INSERT INTO track (id, organization_id, collection_id, index, "order", file_name, base_path, upload_expires_at, updated_at)
       SELECT gen_random_uuid(), $1, $2, 'm' || n, n, 'a.wav', 'm' || n, now(), now() FROM generate_series(1, 1700) n RETURNING id`,
      [service.demo.organization_id, collectionId],
    )
    const query = 'subscription ($collectionId: ID) { trackChanged(collectionId: $collectionId) { trackId } }'
    const client = watch({ collectionId }, { query })
    await client.until('all of them', () => client.changes().length >= rows.length)
    expect(new Set(client.changes().map(({ trackId }) => trackId))).toEqual(new Set(rows.map(({ id }) => id)))
    client.leave()
    await service.services.pool.query('DELETE FROM track WHERE collection_id = $1', [collectionId])
  }, 30_000)
})

describe('over the wire', () => {
  test('is not buffered by proxies, kept alive by comments, and ends with its client', async () => {
    const body = JSON.stringify({
      query: `subscription { trackChanged(trackId: "${await createTrack(service)}") { status } }`,
    })
    const socket = connect(replica.port, '127.0.0.1')
    const { promise: alive, resolve } = Promise.withResolvers<void>()
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      if (/event: next[\s\S]*\n:\n\n/.test(text)) resolve()
    })
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.demo.api_key}\r\n` +
        `Content-Type: application/json\r\nAccept: text/event-stream\r\nAccept-Encoding: gzip\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    )
    await alive
    expect(text).toMatch(/^HTTP\/1.1 200 /)
    expect(text).toMatch(/content-type: text\/event-stream/i)
    expect(text).toMatch(/cache-control: no-store, no-transform/i)
    expect(text).not.toMatch(/content-encoding/i)
    expect(replica.notifications.count()).toBe(1)
    socket.destroy()
    await untilNobody()
  })

  test('200 clients of one process get the same change; when they disconnect, nothing is left', async () => {
    const id = await createTrack(service)
    const { services } = service
    const organizationId = service.demo.organization_id
    const issue = async () => (await issueKey(services, organizationId, 'api', { title: 'x' })).key
    const keys = [await issue(), await issue()]
    const clients = Array.from({ length: 200 }, (_, i) => watch({ trackId: id }, { key: keys[i % 2] ?? '' }))
    await Promise.all(clients.map((client) => client.change('the state of now', () => true)))
    expect(replica.notifications.count()).toBe(200)
    expect((await services.pool.query(`SELECT ${LISTENING}`)).rowCount).toBe(1)
    await setStatus(service, id, 'ready')
    await Promise.all(clients.map((client) => client.change('the end', ({ isFinal }) => isFinal)))
    for (const client of clients) client.leave()
  }, 60_000)
})
