import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Upload } from 'tus-js-client'
import { recordedBytes } from '../support/recording.ts'
import { objectsIn } from '../support/storage.ts'
import { until } from '../support/until.ts'
import { longNoise } from './noise.ts'
import {
  cleanUp,
  createPlace,
  createTrack,
  isAlive,
  type Place,
  postgresPid,
  startProcess,
  untilStatus,
} from './process.ts'

setDefaultTimeout(180_000)

let place: Place
beforeAll(async () => {
  place = await createPlace()
})
afterAll(() => cleanUp(place))

test('a service that is killed during a resumable upload goes on with it after its start', async () => {
  const first = await startProcess(place)
  const bytes = Buffer.from(await longNoise(1))
  const { id, uploadUrl } = await createTrack(first)
  const killed = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const offsets: number[] = []
  new Upload(bytes, {
    endpoint: uploadUrl,
    chunkSize: 100_000,
    retryDelays: Array(100).fill(200),
    onBeforeRequest: (request) => {
      if (request.getMethod() === 'PATCH') offsets.push(Number(request.getHeader('Upload-Offset')))
    },
    onChunkComplete: (_, accepted) => {
      if (accepted < bytes.length / 2) return
      first.kill('SIGKILL')
      killed.resolve()
    },
    onSuccess: () => ended.resolve(),
    onError: ended.reject,
  }).start()
  await killed.promise
  const postgres = await postgresPid(place.env.DATA_DIR ?? '')
  await first.exited
  await until('PostgreSQL to end', 10_000, async () => !isAlive(postgres))
  const service = await startProcess(place)
  await ended.promise
  expect(offsets.filter((offset) => offset === 0)).toHaveLength(1)
  const track = await untilStatus(service, id, ['ready'], 120_000)
  expect(track.duration).toBeCloseTo(60, -1)
  const objects = objectsIn(join(place.env.DATA_DIR ?? '', 'storage'))
  const stored = await recordedBytes({ objects, demo: service.credentials }, id)
  expect(createHash('sha256').update(stored).digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
})
