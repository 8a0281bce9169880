import { afterEach, describe, expect, spyOn, test } from 'bun:test'
import manifest from '../../package.json'
import { healthRoutes } from '../../src/cli/health.ts'
import { createReadiness } from '../../src/cli/readiness.ts'
import type { Role } from '../../src/config.ts'
import type { Services } from '../../src/platform/context.ts'
import { useTestService } from '../support/service.ts'

const MIB = 1 << 20
const ENOUGH = 256 * MIB

const service = useTestService()
afterEach(() => {
  service.clock.now = null
})

/** Services of a separate process, with these roles and this free space, and a recording log. */
function processOf({
  roles = ['gateway', 'edge', 'worker'] as Role[],
  storage = ENOUGH,
  scratch = ENOUGH,
  timeoutMs = 10_000,
} = {}) {
  const logged: [level: string, message: string][] = []
  const log = {
    warn: (_: object, message: string) => logged.push(['warn', message]),
    info: (message: string) => logged.push(['info', message]),
  } as unknown as Services['log']
  const { services } = service
  const ownStorage = { ...services.storage, freeBytes: async () => storage }
  const check = spyOn(ownStorage, 'check')
  const config = { ...services.config, roles }
  const readiness = createReadiness(
    { ...services, config, log, storage: ownStorage },
    { freeScratch: async () => scratch, timeoutMs },
  )
  return { readiness, check, logged }
}

test('200 probes at once are all answered 200', async () => {
  const ready = healthRoutes(service.services, () => false)['/health/ready']
  const answers = await Promise.all(Array.from({ length: 200 }, ready))
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
})

test('an answer has the free space, the versions of the media programs and missing bounds', async () => {
  const { tools } = service.services
  const answer = await healthRoutes(service.services, () => false)['/health/ready']()
  expect(await answer.json()).toEqual({
    ok: true,
    reasons: [],
    warnings: [],
    free_bytes: { storage: expect.any(Number), scratch: expect.any(Number) },
    ffmpeg: tools.version,
    ffprobe: tools.ffprobeVersion,
    sandbox_missing: [...tools.missing],
    version: manifest.version,
  })
})

test('a process that stops is not ready', async () => {
  const answer = await healthRoutes(service.services, () => true)['/health/ready']()
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ ok: false, reasons: ['the process is stopping'] })
})

describe('a result', () => {
  test('is shared by all probes within five seconds, concurrent ones included', async () => {
    const { readiness, check } = processOf()
    service.clock.now = new Date(1_000_000)
    await Promise.all([readiness(), readiness(), readiness()])
    service.clock.now = new Date(1_004_999)
    await readiness()
    expect(check).toHaveBeenCalledTimes(1)
    service.clock.now = new Date(1_005_000)
    await readiness()
    expect(check).toHaveBeenCalledTimes(2)
  })

  test('does not outlive a clock that is set back', async () => {
    const { readiness, check } = processOf()
    service.clock.now = new Date(1_000_000)
    await readiness()
    service.clock.now = new Date(1000)
    await readiness()
    expect(check).toHaveBeenCalledTimes(2)
  })

  test('is logged when it changes, and only then', async () => {
    const { readiness, check, logged } = processOf()
    const at = async (seconds: number) => {
      service.clock.now = new Date(seconds * 1000)
      return (await readiness()).reasons
    }
    expect(await at(0)).toEqual([])
    check.mockRejectedValue(Object.assign(new Error('/secret/path'), { code: 'EROFS' }))
    expect(await at(10)).toEqual(['storage: EROFS'])
    expect(await at(20)).toEqual(['storage: EROFS'])
    check.mockRejectedValue(new Error('/secret/path'))
    expect(await at(30)).toEqual(['storage: does not work'])
    check.mockResolvedValue(undefined)
    expect(await at(40)).toEqual([])
    expect(await at(50)).toEqual([])
    expect(logged).toEqual([
      ['warn', 'not ready'],
      ['warn', 'not ready'],
      ['info', 'ready again'],
    ])
  })
})

test('a check that hangs is reported, and not started again before it ends', async () => {
  const { readiness, check } = processOf({ timeoutMs: 200 })
  const hanging = Promise.withResolvers<void>()
  check.mockReturnValue(hanging.promise)
  service.clock.now = new Date(0)
  expect((await readiness()).reasons).toEqual(['storage: no answer in time'])
  service.clock.now = new Date(10_000)
  expect((await readiness()).reasons).toEqual(['storage: no answer in time'])
  expect(check).toHaveBeenCalledTimes(1)
  hanging.resolve()
  await hanging.promise
  service.clock.now = new Date(20_000)
  expect((await readiness()).reasons).toEqual([])
  expect(check).toHaveBeenCalledTimes(2)
})

describe('storage that fails', () => {
  const failing = Object.assign(new Error('/secret/path'), { code: 'EROFS' })

  test.each<[Role[], boolean]>([
    [['gateway'], true],
    [['edge'], false],
    [['worker'], false],
    [['gateway', 'edge', 'worker'], false],
  ])('a process with the roles %p is ready: %p', async (roles, isReady) => {
    const { readiness, check, logged } = processOf({ roles })
    check.mockRejectedValue(failing)
    const { reasons, warnings } = await readiness()
    expect(isReady ? warnings : reasons).toEqual(['storage: EROFS'])
    expect(isReady ? reasons : warnings).toEqual([])
    expect(logged).toEqual(isReady ? [] : [['warn', 'not ready']])
  })

  test('or hangs does not delay the probes of a gateway', async () => {
    const { readiness, check } = processOf({ roles: ['gateway'], timeoutMs: 3_600_000 })
    check.mockReturnValue(new Promise(() => {}))
    expect(await readiness()).toMatchObject({ reasons: [], warnings: ['storage: no answer in time'] })
  })
})

describe('free space', () => {
  const storage = 'storage space: 255 MiB are free, at least 256 MiB are required'
  const scratch = 'scratch space: 255 MiB are free, at least 256 MiB are required'
  test.each<[Role[], number, string[], string[]]>([
    [['gateway', 'edge', 'worker'], ENOUGH, [], []],
    [['edge'], ENOUGH - 1, [storage], [scratch]],
    [['worker'], ENOUGH - 1, [storage, scratch], []],
    [['gateway'], ENOUGH - 1, [], [storage, scratch]],
    [['gateway', 'edge'], ENOUGH - 1, [storage], [scratch]],
  ])('of a process with the roles %p: %p bytes', async (roles, free, reasons, warnings) => {
    const { readiness } = processOf({ roles, storage: free, scratch: free })
    expect(await readiness()).toEqual({ reasons, warnings, freeBytes: { storage: free, scratch: free } })
  })
})

test('a database without the newest migration is not ready', async () => {
  const { pool } = service.services
  const [newest] = (await pool.query('SELECT * FROM schema_migration ORDER BY name DESC LIMIT 1')).rows
  await pool.query('UPDATE schema_migration SET checksum = $2 WHERE name = $1', [newest.name, 'other'])
  const { reasons } = await processOf().readiness()
  await pool.query('UPDATE schema_migration SET checksum = $2 WHERE name = $1', [newest.name, newest.checksum])
  expect(reasons).toEqual(['database: migrations are missing'])
})
