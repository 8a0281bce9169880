import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { until } from '../support/until.ts'
import { cleanUp, createPlace, isAlive, type Place, postgresPid, runMain, spawnMain, startProcess } from './process.ts'

setDefaultTimeout(60_000)

const places: Place[] = []
async function place(env?: Record<string, string>): Promise<Place> {
  const newPlace = await createPlace(env)
  places.push(newPlace)
  return newPlace
}
afterAll(() => cleanUp(...places))

test('wrong settings stop the start with one message that lists every mistake', async () => {
  const { exitCode, stdout, stderr } = await runMain(
    await place({ PORT: 'abc', ROLES: 'gateway,cook', SECRET: 'short', STORAGE: 'tape', RATE_LIMITS: 'maybe' }),
  )
  expect(exitCode).toBe(1)
  expect(stdout).toBe('')
  for (const name of ['PORT', 'ROLES', 'SECRET', 'STORAGE', 'RATE_LIMITS']) expect(stderr).toContain(`  ${name}: `)
  expect(stderr).not.toMatch(/^\s+at /m)
})

test('settings that contradict each other stop the start with a message', async () => {
  const { exitCode, stderr } = await runMain(await place({ ROLES: 'gateway', STORAGE: 's3' }))
  expect(exitCode).toBe(1)
  expect(stderr).toContain('  DATABASE_URL: ')
  for (const name of ['ENDPOINT', 'BUCKET', 'REGION', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY']) {
    expect(stderr).toContain(`  S3_${name}: `)
  }
})

test('a database that cannot be reached stops the start with one message', async () => {
  const env = { DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none', SECRET: 'x'.repeat(40) }
  const { exitCode, stderr } = await runMain(await place(env))
  expect(exitCode).toBe(1)
  expect(stderr).not.toContain('secret-word')
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

test('two services never run on one DATA_DIR', async () => {
  const first = await place()
  const service = await startProcess(first)
  const { env } = await place()
  const second = await runMain({ ...first, env: { ...env, DATA_DIR: first.env.DATA_DIR ?? '' } })
  expect(second.exitCode).toBe(1)
  expect(second.stderr.trim().split('\n')).toHaveLength(1)
  expect(second.stderr).toContain(`in use by process ${service.pid}`)
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200)
  service.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})

test('of two starts at once on one DATA_DIR one fails at once, and leaves the other alone', async () => {
  const first = await place()
  const { env } = await place()
  const second: Place = { ...first, env: { ...env, DATA_DIR: first.env.DATA_DIR ?? '' } }
  const both = [spawnMain(first), spawnMain(second)]
  const { child: loser, stderr } = await Promise.race(both.map((one) => one.child.exited.then(() => one)))
  expect(loser.exitCode).toBe(1)
  expect(await stderr()).toMatch(/^DATA_DIR: .* is in use by (process \d+|another process); .*\n$/)
  const at = loser === both[0]?.child ? second : first
  const url = `http://localhost:${at.env.PORT}/health/ready`
  await until('the other one to be ready', 30_000, async () => (await fetch(url).catch(() => null))?.ok)
  expect((await runMain(at, ['admin', 'list-organizations'])).exitCode).toBe(0)
  expect((await fetch(url)).status).toBe(200)
})

test('a process with the number of an earlier owner does not stop the start', async () => {
  const ownPlace = await place()
  const service = await startProcess(ownPlace)
  service.kill('SIGKILL')
  await service.exited
  const file = join(ownPlace.env.DATA_DIR ?? '', 'postgres/owner.pid')
  await until('PostgreSQL to end', 10_000, async () => !isAlive(await postgresPid(ownPlace.env.DATA_DIR ?? '')))
  await Bun.write(file, String(process.pid))
  const again = await startProcess(ownPlace)
  expect(await Bun.file(file).text()).toBe(String(again.pid))
  again.kill('SIGTERM')
  expect(await again.exited).toBe(0)
})

test('a port in use stops the start with one message, and its database with it', async () => {
  const busyPlace = await place()
  const other = Bun.serve({
    hostname: '127.0.0.1',
    port: Number(busyPlace.env.PORT),
    fetch: () => new Response('other'),
  })
  const { exitCode, stderr } = await runMain(busyPlace)
  await other.stop(true)
  expect(exitCode).toBe(1)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).toContain(`PORT: 127.0.0.1:${busyPlace.env.PORT} is in use`)
  await until('PostgreSQL to end', 10_000, async () => !isAlive(await postgresPid(busyPlace.env.DATA_DIR ?? '')))
})
