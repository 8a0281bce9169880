import type { Services } from '../platform/context.ts'
import { roundTo } from '../platform/number.ts'

const INTERVAL_MS = 60_000
/** Difference in seconds from which it is logged. Delivery addresses tolerate 30 s. */
export const WARNING_SECONDS = 5

/** Returns how many seconds this process's clock is ahead of the database's. Negative when it is behind. */
export async function readClockSkew({ pool, clock }: Pick<Services, 'pool' | 'clock'>): Promise<number> {
  const before = clock().getTime()
  const { rows } = await pool.query('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms')
  // The answer was made somewhere between the two times.
  const [ms, after] = [Number(rows[0].ms), clock().getTime()]
  return (ms < before ? before - ms : Math.min(0, after - ms)) / 1000
}

/**
 * Logs once when the clock of this process differs from the database's by more than 5 s, and when it is right again.
 * Checks now and every minute.
 */
export function watchClock(services: Pick<Services, 'pool' | 'clock' | 'log'>) {
  let isWarned = false
  const check = async () => {
    const seconds = await readClockSkew(services).catch(() => null)
    if (seconds === null || Math.abs(seconds) > WARNING_SECONDS === isWarned) return
    isWarned = !isWarned
    const rounded = roundTo(seconds, 1)
    if (isWarned)
      services.log.warn({ seconds: rounded }, `the clock differs from the database's by ${rounded} s; synchronize it`)
    else services.log.info('the clock agrees with the database again')
  }
  const timer = setInterval(check, INTERVAL_MS)
  timer.unref()
  return { check, first: check(), stop: () => clearInterval(timer) }
}
