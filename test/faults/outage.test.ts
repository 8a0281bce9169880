// Faults of the services of two gateways, two edges and two workers: database, bucket, clocks and disks.
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { availablePrefix } from '../../src/platform/media/ffmpeg/command.ts'
import { tone } from '../support/audio.ts'
import { until } from '../support/until.ts'
import { tryUpload, type Uploaded, upload } from './client.ts'
import { type Deployment, startDeployment } from './deployment.ts'
import { expectCleanStop, expectIntact } from './invariants.ts'
import { isNight, LIMIT_MS, serve, underLoad } from './load.ts'

setDefaultTimeout(LIMIT_MS)

let deployment: Deployment
afterEach(() => deployment?.stop())

test('a database that restarts, ends all connections or is away loses nothing', async () => {
  deployment = await startDeployment({ storage: 's3' })
  const { database } = deployment
  const uploads = await underLoad(deployment, isNight ? 300 : 40, async () => {
    for (let times = 0; times < (isNight ? 50 : 5); times++) {
      await serve(1)
      expect(await database.terminateConnections()).toBeGreaterThan(0)
    }
    for (let times = 0; times < (isNight ? 20 : 2); times++) {
      await serve(2)
      await database.close()
      await database.open()
    }
    await serve(2)
    await database.close()
    await serve(isNight ? 90 : 35)
    await database.open()
  })
  await expectIntact(deployment, uploads)
  await expectCleanStop(deployment)
})

test('a bucket that answers errors delays tracks and ends none', async () => {
  deployment = await startDeployment({ storage: 's3' })
  const { bucket } = deployment
  const statuses = [503, 500, 403]
  const uploads = await underLoad(deployment, 24, async () => {
    await serve(3)
    bucket?.intercept(() => new Response('<Error/>', { status: statuses[Math.floor(Math.random() * 3)] ?? 503 }))
    await serve(isNight ? 300 : 40)
    bucket?.intercept(null)
  })
  await expectIntact(deployment, uploads)
  await expectCleanStop(deployment)
})

test('clocks 90 seconds apart delay and lose nothing', async () => {
  // A gateway that is ahead of the edges signs addresses that are valid later: the contract allows 30 seconds.
  const skewMs = { edge: [90_000, 0], worker: [90_000, -90_000] } as const
  deployment = await startDeployment({ storage: 'file', skewMs })
  const uploads = await underLoad(deployment, isNight ? 200 : 12, async () => {})
  await expectIntact(deployment, uploads)
  await expectCleanStop(deployment)
})

const isolated = availablePrefix(['unshare', '--user', '--map-root-user', '--mount'])
/** Storage and scratch on disks of their own: larger than the free space that readiness demands. */
const smallDisks = `for folder in "$DATA_DIR/storage" "$TMPDIR"; do
  mkdir -p "$folder" && mount -t tmpfs -o size=400m tmpfs "$folder" || exit 1
done; exec "$@"`

test.if(isolated.length > 0)('a disk that is full delays uploads and tracks and ends none', async () => {
  const members = [['gateway', 'edge', 'worker']] as const
  deployment = await startDeployment({ storage: 'file', members, wrapper: [...isolated, 'sh', '-c', smallDisks, 'sh'] })
  const { seenBy, anyOf, storageFolder, scratch } = deployment
  const [storage, work] = [storageFolder, scratch].map((folder) => join(seenBy(anyOf('worker'), folder), 'filler'))
  const fill = (path = '') => Bun.spawn(['dd', 'if=/dev/zero', `of=${path}`, 'bs=64k'], { stderr: 'ignore' }).exited
  const recording = await tone(20, 'wav')

  // While the recording is processed.
  const first = await upload(deployment, recording)
  await Promise.all([fill(storage), fill(work)])
  await untilDelayed(first)
  // While another one is uploaded.
  const { status, headers } = await tryUpload(deployment, recording)
  expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true])
  const second = upload(deployment, recording)
  await serve(2)
  await Promise.all([storage, work].map((path = '') => rm(path)))
  await expectIntact(deployment, [first, await second])
  await expectCleanStop(deployment)
})

/** Waits until a track says that the service delays it. */
async function untilDelayed({ trackId }: Uploaded): Promise<void> {
  await until('the track to be delayed', 60_000, async () => {
    const text = 'SELECT status, status_code FROM track WHERE id = $1'
    const [track] = await deployment.database.query<{ status: string; status_code: string }>(text, [trackId])
    if (track?.status === 'error' || track?.status === 'init_error') throw new Error(JSON.stringify(track))
    return track?.status_code === 'processing_delayed'
  })
}
