// However a client leaves, its subscription ends. One that stayed would count against the limit of its key for ever.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { createTrack, startReplica } from '../../support/live.ts'
import { type Json, startTestService, type TestService } from '../../support/service.ts'

const TRACKS = 3000
/** Of one key; see `createNotifications`. */
const MAX_SUBSCRIPTIONS = 100

let service: TestService
let replica: ReturnType<typeof startReplica>
let emptyId: string
let crowdedId: string
beforeAll(async () => {
  service = await startTestService()
  replica = startReplica(service)
  emptyId = await createCollection()
  crowdedId = await createCollection()
  await service.services.pool.query(
    `INSERT INTO track (id, organization_id, collection_id, index, "order", file_name, base_path, upload_expires_at, updated_at)
     SELECT gen_random_uuid(), $1, $2, 'm' || n, n, 'a.wav', 'm' || n, now(), now() FROM generate_series(1, $3::int) n`,
    [service.demo.organization_id, crowdedId, TRACKS],
  )
})
afterAll(async () => {
  await replica.stop()
  await service.stop()
})

const createCollection = async (): Promise<string> =>
  (await service.v1('POST', '/collection', { body: { title: 'C' } })).json.collection_id
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 15_000
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await nextTurn()
  }
}
const count = () => replica.notifications.count()
const untilOver = () => until('the end of all requests', () => replica.pendingRequests() === 0 && count() === 0)
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await untilOver()
})

const sockets: Socket[] = []
const bodyOf = (collectionId: string, fields = 'trackId') =>
  JSON.stringify({ query: `subscription { trackChanged(collectionId: "${collectionId}") { ${fields} } }` })

/** Sends a request as bytes, and collects what comes back. */
function send(body: string, accept = 'text/event-stream', port = replica.port) {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.demo.api_key}\r\n` +
      `Content-Type: application/json\r\nAccept: ${accept}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  return { socket, text: () => text, received: (part: string) => until(part, () => text.includes(part)) }
}

const leave = {
  'closes the connection': (socket: Socket) => socket.destroy(),
  'resets the connection': (socket: Socket) => socket.resetAndDestroy(),
  'ends its side of the connection': (socket: Socket) => socket.end(),
}

describe.each(Object.entries(leave))('a client that %s', (_, go) => {
  test('while its subscription begins', async () => {
    const { pool } = service.services
    const blocker = await pool.connect()
    await blocker.query('BEGIN; LOCK TABLE collection IN ACCESS EXCLUSIVE MODE')
    const { socket } = send(bodyOf(emptyId))
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await until('the subscription to begin', async () => (await pool.query(waiting)).rowCount === 1)
    go(socket)
    await blocker.query('ROLLBACK')
    blocker.release()
    await untilOver()
  })

  test('before the first event', async () => {
    const { socket, received } = send(bodyOf(emptyId))
    await received('\r\n\r\n')
    expect(count()).toBe(1)
    go(socket)
    await untilOver()
  })

  test('in the middle of the backlog', async () => {
    const { socket, received, text } = send(bodyOf(crowdedId))
    await received('event: next')
    go(socket)
    await untilOver()
    expect(text().split('event: next').length).toBeLessThan(TRACKS)
  })

  test('in the middle of a backlog that it does not read', async () => {
    const { socket } = send(bodyOf(crowdedId))
    socket.pause()
    await until('the subscription', () => count() === 1)
    go(socket)
    await untilOver()
  })

  test('while nothing happens', async () => {
    const collectionId = await createCollection()
    const { socket, received } = send(bodyOf(collectionId))
    await received(':\n\n')
    await received(await createTrack(service, collectionId))
    go(socket)
    await untilOver()
  })
})

describe('a subscription', () => {
  test.each([
    ['application/json', 200],
    ['application/graphql-response+json', 400],
    ['multipart/mixed, application/json', 200],
  ])('that accepts only %s is refused with %d, and is not counted', async (accept, status) => {
    for (let attempt = 0; attempt <= MAX_SUBSCRIPTIONS; attempt++) {
      const answer = await fetch(replica.url, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.demo.api_key}`, 'content-type': 'application/json', accept },
        body: bodyOf(emptyId),
      })
      const { errors } = (await answer.json()) as Json
      const message = `attempt ${attempt}`
      expect(answer.status, message).toBe(status)
      expect(errors, message).toMatchObject([
        { message: expect.stringContaining('Accept'), extensions: { code: 'invalid_input' } },
      ])
      expect(count(), message).toBe(0)
    }
  })

  test.each(['*/*', 'text/*', 'text/event-stream;q=0.5, application/json', 'multipart/mixed', 'image/png'])(
    'that accepts %s is answered with an event stream',
    async (accept) => {
      const { text, received } = send(bodyOf(emptyId), accept)
      await received('\r\n\r\n')
      expect(text()).toMatch(/^HTTP\/1.1 200 [\s\S]*content-type: text\/event-stream/i)
    },
  )
})

test('a client that comes and leaves more often than the limit of its key is served again', async () => {
  for (let visit = 0; visit <= MAX_SUBSCRIPTIONS; visit++) {
    const { socket, received } = send(bodyOf(emptyId))
    await received(':\n\n')
    socket.destroy()
  }
  await untilOver()
  const { received } = send(bodyOf(crowdedId))
  await received('event: next')
})
