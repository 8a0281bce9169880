// Starts real services: a port is in use only for a process that listens.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  cleanUp,
  createPlace,
  isAlive,
  type Place,
  runMain,
  type ServiceProcess,
  startProcess,
} from '../../faults/process.ts'
import { cloneDatabase } from '../../support/postgres.ts'
import { SECRET } from '../../support/service.ts'

const places: Place[] = []
async function place(env?: Record<string, string>): Promise<Place> {
  const made = await createPlace(env)
  places.push(made)
  return made
}

let first: ServiceProcess
let taken: { PORT: string; EDGE_PORT: string }
beforeAll(async () => {
  const made = await place({ DATABASE_URL: await cloneDatabase(), SECRET, DEMO: 'on' })
  taken = { PORT: made.env.PORT ?? '', EDGE_PORT: made.env.EDGE_PORT ?? '' }
  first = await startProcess(made)
})
afterAll(() => cleanUp(...places))

describe('a second service', () => {
  test.each([
    ['PORT', 'PORT'],
    ['PORT', 'EDGE_PORT'],
    ['EDGE_PORT', 'EDGE_PORT'],
    ['EDGE_PORT', 'PORT'],
  ] as const)(
    'on %s that the first one has as its %s stops with one sentence and leaves nothing running',
    async (setting, of) => {
      const second = await place({ [setting]: taken[of] })
      const { exitCode, stdout, stderr } = await runMain(second)
      expect(exitCode).toBe(1)
      expect(stderr).toBe(`${setting}: 127.0.0.1:${taken[of]} is in use by another process\n`)
      expect(stdout).not.toContain('Tonearm is running')
      // PostgreSQL removes its file when it has ended; the owner's file is the lock of the folder.
      const postgres = join(second.env.DATA_DIR ?? '', 'postgres')
      expect(existsSync(join(postgres, 'cluster/PG_VERSION'))).toBe(true)
      expect(existsSync(join(postgres, 'cluster/postmaster.pid'))).toBe(false)
      expect(existsSync(join(postgres, 'owner.pid'))).toBe(false)
      expect(isAlive(first.pid)).toBe(true)
      expect((await fetch(`${first.url}/health/ready`)).status).toBe(200)
    },
  )
})
