import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { z } from 'zod'
import type { Services } from '../../../src/platform/context.ts'
import { startHeartbeat } from '../../../src/platform/jobs/liveness.ts'
import { recoverJobs } from '../../../src/platform/jobs/recovery.ts'
import { enqueue, task } from '../../../src/platform/jobs/task.ts'
import { startWorker } from '../../../src/roles/worker/run.ts'
import { changeEntries, deleteEntries, makeEntriesDue, readEntries, readEntry } from '../../support/queue.ts'
import { useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const service = useTestService()
const FAST = { beatMs: 10, retryMs: 10 }
/** Long enough for a busy machine to send a heartbeat in time. */
const SHORT_LOSS = { ...FAST, lostMs: 2_000, answerMs: 500 }
const PATIENT_MS = 20_000

const query = async (text: string, values: unknown[] = []) => (await service.services.pool.query(text, values)).rows
const poolOf = async (id: string) =>
  (await query('SELECT beat_at, alive_since, now() AS now FROM worker_pool WHERE id = $1', [id]))[0]
/** Moves the last heartbeat into the past, as if the pool had been silent since. */
const silence = (id: string, seconds: number) =>
  query('UPDATE worker_pool SET beat_at = now() - make_interval(secs => $2) WHERE id = $1', [id, seconds])
const untilBeat = async (id: string) => {
  const before = (await poolOf(id))?.now
  await until('a heartbeat', PATIENT_MS, async () => (await poolOf(id))?.beat_at > before)
}

let losses: string[]
const onLost = ({ message }: Error) => void losses.push(message)
let door: Door | undefined
beforeEach(async () => {
  losses = []
  await query('DELETE FROM worker_pool')
})
afterEach(async () => {
  await door?.close()
  door = undefined
})

interface Door {
  services: Services
  /** `open` passes bytes, `silent` drops them without closing, `closed` refuses connections. */
  set: (state: 'open' | 'silent' | 'closed') => void
  close: () => Promise<void>
}

/** An address of the database for the heartbeat alone; the pool of the service connects directly. */
async function openDoor(): Promise<Door> {
  const { pool } = service.services
  const url = new URL(pool.options.connectionString ?? '')
  const [host, port] = [url.hostname, Number(url.port)]
  const sockets = new Set<Socket>()
  let state = 'open'
  const server: Server = createServer((client) => {
    const remote = createConnection(port, host)
    for (const [from, to] of [
      [client, remote],
      [remote, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => state === 'open' && to.write(bytes))
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
    if (state === 'closed') client.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`
  const options = { ...pool.options, connectionString: url.toString() }
  const through = new Proxy(pool, { get: (target, name) => (name === 'options' ? options : bound(target, name)) })
  return {
    services: { ...service.services, direct: through },
    set: (to) => {
      state = to
      if (to === 'closed') for (const socket of sockets) socket.destroy()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function bound(target: object, name: string | symbol): unknown {
  const value = Reflect.get(target, name)
  return typeof value === 'function' ? value.bind(target) : value
}

describe('the heartbeat', () => {
  test('lists its pools from the first moment, goes on, and removes them at its end', async () => {
    const heartbeat = await startHeartbeat(service.services, ['pool-a', 'pool-b'], onLost, FAST)
    expect(await query('SELECT id FROM worker_pool ORDER BY id')).toEqual([{ id: 'pool-a' }, { id: 'pool-b' }])
    const { alive_since } = await poolOf('pool-a')
    await untilBeat('pool-a')
    expect((await poolOf('pool-b')).alive_since).toEqual(alive_since)
    await heartbeat.end()
    expect(await query('SELECT id FROM worker_pool')).toEqual([])
    expect(losses).toEqual([])
  })

  test.each([
    { silentFor: 10, isInterrupted: false },
    { silentFor: 16, isInterrupted: true },
  ])('a pause of $silentFor seconds interrupts it: $isInterrupted', async ({ silentFor, isInterrupted }) => {
    await query(`INSERT INTO worker_pool (id, alive_since) VALUES ('pool-a', '2020-01-01')`)
    await silence('pool-a', silentFor)
    const heartbeat = await startHeartbeat(service.services, ['pool-a'], onLost, FAST)
    const { alive_since } = await poolOf('pool-a')
    await heartbeat.end()
    expect(alive_since.getFullYear() !== 2020).toBe(isInterrupted)
  })

  test('goes on after its connection was closed, and nothing is lost', async () => {
    const heartbeat = await startHeartbeat(service.services, ['pool-cut'], onLost, FAST)
    const connection = async () =>
      (
        await query(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
             AND query LIKE '%INSERT INTO worker_pool%'`,
        )
      )[0]?.pid
    const pid = await connection()
    await query('SELECT pg_terminate_backend($1)', [pid])
    await until('a new connection', PATIENT_MS, async () => ![undefined, pid].includes(await connection()))
    await untilBeat('pool-cut')
    await heartbeat.end()
    expect(losses).toEqual([])
  })

  test.each(['closed', 'silent'] as const)(
    'reports a loss once while the database is %s, and goes on',
    async (state) => {
      door = await openDoor()
      const heartbeat = await startHeartbeat(door.services, ['pool-a'], onLost, SHORT_LOSS)
      await untilBeat('pool-a')
      expect(losses).toEqual([])
      door.set(state)
      await until('the loss', PATIENT_MS, () => losses.length > 0)
      const { beat_at } = await poolOf('pool-a')
      expect((await poolOf('pool-a')).beat_at).toEqual(beat_at)
      door.set('open')
      await untilBeat('pool-a')
      await heartbeat.end()
      expect(losses).toEqual(['the worker cannot reach the database'])
    },
  )

  test('reports a loss when another worker has declared the pool dead', async () => {
    await query(`INSERT INTO worker_pool (id, alive_since) VALUES ('pool-other', now() - interval '1 hour')`)
    const heartbeat = await startHeartbeat(service.services, ['pool-paused'], onLost, { ...FAST, beatMs: 200 })
    // A paused process sends no heartbeat. Here one may come between the two statements, so they are repeated.
    await until('the pool to be declared dead', PATIENT_MS, async () => {
      await silence('pool-paused', 31)
      await recoverJobs(service.services, ['pool-other'])
      return losses.length > 0
    })
    await heartbeat.end()
    expect(new Set(losses)).toEqual(new Set(['another worker declared this one dead']))
  })
})

test('a worker that loses the database aborts its jobs, and runs them and others when it is back', async () => {
  door = await openDoor()
  const definition = { name: 'test_lost', payload: z.object({}), maxAttempts: 5, lane: 'processing' as const }
  const signals: AbortSignal[] = []
  const runs = task(definition, async (_, __, { signal }) => {
    signals.push(signal)
    if (signals.length > 1) return
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  const worker = await startWorker(door.services, [runs], SHORT_LOSS)
  try {
    await enqueue(service.services.db, definition, {}, { jobKey: 'lost' })
    await until('the first run', PATIENT_MS, () => signals.length === 1)
    expect(signals[0]?.aborted).toBe(false)
    door.set('closed')
    await until('the job to be aborted', PATIENT_MS, () => signals[0]?.aborted)
    door.set('open')
    await makeEntriesDue(service.services.pool)
    await until('the second run', PATIENT_MS, async () => {
      await makeEntriesDue(service.services.pool, { isLocked: false })
      return signals.length === 2
    })
    await until('the end', PATIENT_MS, async () => (await readEntries(service.services.pool)).length === 0)
    expect(signals[1]?.aborted).toBe(false)
  } finally {
    await worker.stop(1_000)
  }
}, 60_000)

test('a worker leaves the entry of a superseded job to the worker that has it', async () => {
  const payload = z.object({ name: z.string(), lockedBy: z.string().nullable() })
  const definition = { name: 'test_superseded', payload, maxAttempts: 5, lane: 'processing' as const }
  const ran: string[] = []
  const superseded = task(definition, async (_, { name, lockedBy }) => {
    if (lockedBy) await changeEntries(service.services.pool, { lockedBy }, { key: name })
    ran.push(name)
    return 'superseded' as const
  })
  const worker = await startWorker(service.services, [superseded])
  try {
    const add = (name: string, lockedBy: string | null) =>
      enqueue(service.services.db, definition, { name, lockedBy }, { jobKey: name })
    await add('own', null)
    await add('taken', 'pool-other')
    await until('both runs', PATIENT_MS, () => ran.length === 2)
  } finally {
    await worker.stop(PATIENT_MS)
  }
  expect(await readEntry(service.services.pool)).toMatchObject({ key: 'taken', lockedBy: 'pool-other' })
  await deleteEntries(service.services.pool)
})
