import type { QueryConfig } from 'pg'
import type { Role } from '../config.ts'
import type { Services } from '../platform/context.ts'
import { isUpToDate } from '../platform/db/migrate.ts'
import { freeScratchBytes } from '../platform/media/ffmpeg/scratch.ts'
import { withTimeout } from './with-timeout.ts'

/** Whether a process can serve. */
export interface Readiness {
  /** Empty when ready. */
  reasons: string[]
  /** Failures of places that the roles of this process do not write to: a gateway serves without storage. */
  warnings: string[]
  /** Null if unknown: a bucket has no limit, a folder may not answer. */
  freeBytes: { storage: number | null; scratch: number | null }
}

type Place = 'storage' | 'scratch'

/** Result of a check: a value, or the reason why it failed. */
interface Finding<T> {
  value: T | null
  reason: string | null
  error?: unknown
}

/** A reason that clients may see. */
class NotReady extends Error {
  override name = 'NotReady'
}

/** Time for which probes share a result. Longer than a check may take, so checks never overlap. */
const SHARED_MS = 5000
const TIMEOUT_MS = 3000
/** Free space below which uploads and runs are likely to fail. */
export const MIN_FREE_BYTES = 256 << 20

/** Time for the check of a place that the process does not need, so that its probes stay short. */
const UNNEEDED_MS = 500

/** Roles that write to a place. Others can serve while it is full or away. */
export const writers: Record<Place, readonly Role[]> = {
  storage: ['edge', 'worker'],
  scratch: ['worker'],
}

/**
 * Creates the readiness check of a process. It runs at most once in five seconds, independent of the number of probes.
 * Only changes of the result are logged.
 * @see operating.md, Health
 */
export function createReadiness(
  services: Services,
  { freeScratch = freeScratchBytes, timeoutMs = TIMEOUT_MS } = {},
): () => Promise<Readiness> {
  const { config, log, pool, storage, clock } = services
  const unfinished = new Map<string, Promise<unknown>>()
  let logged = ''
  let latest: { startedMs: number; result: Promise<Readiness> } | undefined

  /** Runs a check with a timeout. A hanging check is awaited again, not started a second time. */
  async function attempt<T>(name: string, check: () => Promise<T>, ms = timeoutMs): Promise<Finding<T>> {
    const work = (unfinished.get(name) as Promise<T> | undefined) ?? check()
    unfinished.set(name, work)
    const forget = () => unfinished.delete(name)
    work.then(forget, forget)
    try {
      return { value: await withTimeout(work, ms, () => new NotReady('no answer in time')), reason: null }
    } catch (error) {
      // Addresses and paths are for the log only.
      const cause = error instanceof NotReady ? error.message : ((error as { code?: string }).code ?? 'does not work')
      return { value: null, reason: `${name}: ${cause}`, error }
    }
  }

  const isNeeded = (place: Place) => config.roles.some((role) => writers[place].includes(role))
  const chooseLimit = (place: Place) => (isNeeded(place) ? timeoutMs : Math.min(timeoutMs, UNNEEDED_MS))

  function shortage(place: Place, free: number | null): string | null {
    if (free === null || free >= MIN_FREE_BYTES) return null
    return `${place} space: ${free >> 20} MiB are free, at least ${MIN_FREE_BYTES >> 20} MiB are required`
  }

  async function check(): Promise<Readiness> {
    const [database, write, storageSpace, scratchSpace] = await Promise.all([
      attempt('database', () => checkDatabase(pool)),
      attempt('storage', () => storage.check(), chooseLimit('storage')),
      attempt('storage space', () => storage.freeBytes(), chooseLimit('storage')),
      attempt('scratch space', freeScratch, chooseLimit('scratch')),
    ])
    const findings: Finding<unknown>[] = [database, write, storageSpace, scratchSpace]
    const failures = [
      { reason: database.reason, isReason: true },
      ...[write.reason, storageSpace.reason, shortage('storage', storageSpace.value)].map((reason) => ({
        reason,
        isReason: isNeeded('storage'),
      })),
      ...[scratchSpace.reason, shortage('scratch', scratchSpace.value)].map((reason) => ({
        reason,
        isReason: isNeeded('scratch'),
      })),
    ]
    const select = (isReason: boolean) =>
      failures.flatMap((failure) => (failure.reason === null || failure.isReason !== isReason ? [] : [failure.reason]))
    const [reasons, warnings] = [select(true), select(false)]
    const state = reasons.join('; ')
    if (state !== logged) {
      if (state) log.warn({ reasons, err: findings.find(({ error }) => error)?.error }, 'not ready')
      else log.info('ready again')
      logged = state
    }
    return { reasons, warnings, freeBytes: { storage: storageSpace.value, scratch: scratchSpace.value } }
  }

  return () => {
    const now = clock().getTime()
    // Absolute difference, because a clock that was set back must not keep an old result.
    if (!latest || Math.abs(now - latest.startedMs) >= SHARED_MS) latest = { startedMs: now, result: check() }
    return latest.result
  }
}

async function checkDatabase(pool: Services['pool']): Promise<void> {
  const query = (text: string) => pool.query({ text, query_timeout: TIMEOUT_MS } as QueryConfig)
  if (!(await isUpToDate({ query } as Pick<typeof pool, 'query'>))) throw new NotReady('migrations are missing')
}
