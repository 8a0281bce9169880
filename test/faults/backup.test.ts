// `admin backup --into`, killed at any point and on a full disk: the backup before is complete, and the next one works.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { tone } from '../support/audio.ts'
import { until } from '../support/until.ts'
import {
  cleanUp,
  createPlace,
  type Place,
  runMain,
  type ServiceProcess,
  spawnMain,
  startProcess,
  untilStatus,
  uploadTo,
} from './process.ts'

setDefaultTimeout(180_000)

let place: Place
let service: ServiceProcess
let into: string
let first: { folder: string; objects: number }
const places: Place[] = []
beforeAll(async () => {
  place = await createPlace()
  places.push(place)
  service = await startProcess(place)
  await untilStatus(service, await uploadTo(service, await tone(2)), ['ready'])
  into = join(place.folder, 'backups')
  first = await backUp()
  await untilStatus(service, await uploadTo(service, await tone(3)), ['ready'])
})
afterAll(() => cleanUp(...places))

async function backUp(): Promise<typeof first> {
  const { exitCode, stdout, stderr } = await runMain(place, ['admin', 'backup', '--into', into])
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
  return JSON.parse(stdout)
}

const exists = (path: string) =>
  readdir(path).then(
    (entries) => entries.length > 0,
    () => false,
  )
const listNames = async () => (await readdir(into)).filter((name) => name.startsWith('2')).sort()
const isComplete = (name: string) => Bun.file(join(into, name, 'SHA256SUMS')).exists()

/** Restores the newest complete backup into an empty place. */
async function restoreNewest(): Promise<{ created_at: string; missing: number; differing: number }> {
  const empty = await createPlace()
  places.push(empty)
  // The embedded database has no SECRET in the environment.
  await cp(join(place.env.DATA_DIR ?? '', 'secret'), join(empty.env.DATA_DIR ?? '', 'secret'))
  const { exitCode, stdout, stderr } = await runMain(empty, ['admin', 'restore', '--from', into])
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
  return JSON.parse(stdout)
}

test.each<[what: string, isReached: (names: readonly string[]) => Promise<boolean>]>([
  ['it has begun', () => exists(join(into, '.staging'))],
  [
    'it has written the first table',
    async () => {
      const [staging = ''] = await readdir(join(into, '.staging')).catch(() => [])
      return exists(join(into, '.staging', staging, 'database'))
    },
  ],
  ['it has put the first file', async (names) => (await listNames()).length > names.length],
])('killed when %s', async (_, isReached) => {
  const names = await listNames()
  const { child } = spawnMain(place, ['admin', 'backup', '--into', into])
  await until('the point to be reached', 30_000, async () => child.exitCode !== null || (await isReached(names)))
  child.kill('SIGKILL')
  await child.exited

  const completeNames = []
  for (const name of await listNames()) if (await isComplete(name)) completeNames.push(name)
  expect(completeNames).toContain(names[0] ?? '')
  const restored = await restoreNewest()
  expect(restored).toMatchObject({ missing: 0, differing: 0 })
  expect(restored.created_at.slice(0, 10)).toBe((completeNames.at(-1) ?? '').slice(0, 10))
  // The lock ended with the process.
  const next = await backUp()
  expect(next.objects).toBeGreaterThan(first.objects)
  expect(await isComplete(next.folder.slice(into.length + 1))).toBe(true)
})

const canMount = Bun.spawnSync(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).exitCode === 0
// Too small for the tables, for the objects, and for the last files.
test.if(canMount).each(['16k', '100k', '400k'])(
  'on a disk of %s it ends with one sentence, and has no name',
  async (size) => {
    const full = await mkdtemp(join(place.folder, 'full-'))
    const script = `mount -t tmpfs -o size=${size} none ${full} && "$@"; status=$?; find ${full} -name SHA256SUMS; exit $status`
    const wrapper = ['unshare', '--mount', 'sh', '-c', script, 'sh']
    const { exitCode, stdout, stderr } = await runMain(place, ['admin', 'backup', '--into', full], wrapper)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr.trim().split('\n').at(-1)).toBe(`--into: ${full} is on a full disk`)
    await rm(full, { recursive: true })
  },
)
