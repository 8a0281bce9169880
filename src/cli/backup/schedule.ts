import type { Services } from '../../platform/context.ts'
import { readBackupTimes } from '../../platform/db/backup-times.ts'
import { backUpInto } from './back-up-into.ts'

/** Interval of checks whether a backup is due. */
const CHECK_MS = 60_000
/** Time after a failure until the next try. */
const RETRY_MS = 3_600_000
const DAY_MS = 86_400_000

type ScheduleServices = Pick<Services, 'direct' | 'storage' | 'config' | 'clock' | 'log'>

/**
 * Whether a backup is due: none was made since the last time of day that is set, or none at all.
 * @param at HH:MM, UTC
 */
export function isBackupDue(now: Date, at: string, last: Date | null): boolean {
  const today = Date.parse(`${now.toISOString().slice(0, 10)}T${at}:00Z`)
  const due = today <= now.getTime() ? today : today - DAY_MS
  return last === null || last.getTime() < due
}

/**
 * Makes a backup in BACKUP_TO every day. Any number of processes may do so: a lock of the database excludes two at once, and
 * the time of the last one is in the database. A backup that a stop interrupts is made again by the next process.
 * @returns null without BACKUP_TO
 */
export function startBackups({ direct, storage, config, clock, log }: ScheduleServices) {
  const { to: into, at, keep, hasSecret } = config.backup
  if (into === undefined) return null
  let failedMs: number | null = null
  let isRunning = false
  const url = direct.options.connectionString ?? ''

  async function backUpIfDue(place: string): Promise<void> {
    const { lastBackupAt } = await readBackupTimes(direct)
    if (!isBackupDue(clock(), at, lastBackupAt)) return
    const note = (text: string) => log.debug(text)
    const report = await backUpInto({ url, storage, config }, { into: place, keep, hasSecret, note, now: clock })
    const { folder, objects, copied, copied_bytes, missing, differing, removed } = report
    log.info({ folder, objects, copied, copied_bytes, missing, differing, removed }, 'a backup is complete')
    if (missing + differing > 0) {
      const { missing_keys, differing_keys } = report
      log.warn({ missing_keys, differing_keys }, 'storage does not have all objects as their rows say')
    }
  }

  const check = async (): Promise<void> => {
    const isPausing = failedMs !== null && Math.abs(clock().getTime() - failedMs) < RETRY_MS
    if (isRunning || isPausing) return
    isRunning = true
    try {
      await backUpIfDue(into)
      failedMs = null
    } catch (error) {
      failedMs = clock().getTime()
      log.error({ err: error }, 'a backup failed; it is tried again in an hour')
    } finally {
      isRunning = false
    }
  }
  const timer = setInterval(check, CHECK_MS)
  return { check, stop: () => clearInterval(timer) }
}
