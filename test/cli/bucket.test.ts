// A real service whose files are in a bucket.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createSigning } from '../../src/platform/identity/signing.ts'
import {
  cleanUp,
  createPlace,
  type Place,
  runMain,
  type ServiceProcess,
  startProcess,
  untilStatus,
  uploadTo,
} from '../faults/process.ts'
import { tone } from '../support/audio.ts'
import { type Bucket, startBucket } from '../support/bucket.ts'
import { cloneDatabase } from '../support/postgres.ts'
import { SECRET } from '../support/service.ts'
import { bucketEnv } from '../support/storage.ts'
import { exchange, target } from '../support/wire.ts'

let bucket: Bucket
let env: Record<string, string>
let service: ServiceProcess
const places: Place[] = []
beforeAll(async () => {
  bucket = await startBucket()
  const place = await createPlace({ DATABASE_URL: await cloneDatabase(), SECRET, DEMO: 'empty', ...bucketEnv(bucket) })
  places.push(place)
  env = place.env
  service = await startProcess(place)
}, 60_000)
afterAll(async () => {
  await cleanUp(...places)
  await bucket.stop()
})

test('an upload is accepted by a notification, processed and delivered with its Content-Length', async () => {
  const id = await uploadTo(service, await tone(1))
  // Every minute it would be noticed without one.
  const notified = await fetch(`${service.edgeUrl}/upload/notification`, {
    method: 'POST',
    headers: { authorization: `Bearer ${createSigning(SECRET).notificationToken}` },
    body: JSON.stringify({ Records: [{ s3: { object: { key: `incoming/${id}` } } }] }),
  })
  expect(notified.status).toBe(200)
  await untilStatus(service, id, ['ready'])
  const { files } = (await service.v1('GET', `/track/${id}`)).json
  const lines = [`GET ${target(files[0].url)} HTTP/1.1`, 'Host: edge.test', 'Connection: close']
  const answer = await exchange(Number(env.EDGE_PORT), `${lines.join('\r\n')}\r\n\r\n`)
  expect([answer.status, answer.headers.get('transfer-encoding')]).toEqual([200, null])
  expect(answer.headers.get('content-length')).toBe(String(answer.body.length))
  expect(await bucket.keys('incoming/')).toEqual([])
}, 120_000)

test('a port of the edge that is in use stops the start with one sentence', async () => {
  const { PORT: _, DATA_DIR: __, ...shared } = env
  const second = await createPlace(shared)
  places.push(second)
  const { exitCode, stderr } = await runMain(second)
  expect([exitCode, stderr]).toEqual([1, `EDGE_PORT: 127.0.0.1:${env.EDGE_PORT} is in use by another process\n`])
}, 60_000)

test('stops within its grace period', async () => {
  service.kill('SIGTERM')
  expect(await service.exited).toBe(0)
}, 60_000)
