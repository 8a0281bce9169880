import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connect } from 'node:net'
import { startReplica } from '../support/live.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(180_000)

const IDLE_SECONDS = 8
/** Together with the size of an event more than the buffers of a connection take. */
const TRACKS = 5000
const MANY_FIELDS = Array.from({ length: 29 }, (_, i) => `an_alias_that_makes_every_event_large_${i}: trackId`).join(
  ' ',
)

let service: TestService
let replica: ReturnType<typeof startReplica>
beforeAll(async () => {
  service = await startTestService()
  replica = startReplica(service, 0, IDLE_SECONDS)
})
afterAll(async () => {
  await replica.stop()
  await service.stop()
})

test('the subscription of a client that takes nothing more and never closes its connection ends', async () => {
  const { collection_id: collectionId, organization_id: organizationId, api_key: key } = service.demo
  await service.services.pool.query(
    `INSERT INTO track (id, organization_id, collection_id, index, "order", file_name, base_path, upload_expires_at, updated_at)
     SELECT gen_random_uuid(), $1, $2, 'm' || n, n, 'a.wav', 'm' || n, now(), now() FROM generate_series(1, $3::int) n`,
    [organizationId, collectionId, TRACKS],
  )
  const query = `subscription { trackChanged(collectionId: "${collectionId}") { ${MANY_FIELDS} } }`
  const body = JSON.stringify({ query })
  const socket = connect(replica.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      `Accept: text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await until('the subscription', 10_000, async () => replica.notifications.count() === 1)
  await until('its end', 6 * IDLE_SECONDS * 1000, async () => replica.notifications.count() === 0)
  expect(socket.destroyed).toBe(false)
  socket.destroy()
})
