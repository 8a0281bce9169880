import { periodic, task } from '../../platform/jobs/task.ts'
import { archiveMonths } from './archive.ts'
import { rollUpAudience } from './audience.ts'
import { keepLedger } from './ledger.ts'
import { rollUpPlays } from './roll-up.ts'

/** Sums the plays of past hours, and the listeners of past days. */
export const rollUpPlaysTask = task(
  periodic('roll_up_plays'),
  async ({ pool, clock, config }, _, { signal }) => {
    await rollUpPlays(pool, clock(), signal)
    if (config.isAudienceKept) await rollUpAudience(pool, clock(), signal)
  },
  '16 * * * *',
)

/** Creates the ledger's next months, and drops those older than PLAYS_KEPT_MONTHS, which PLAYS_ARCHIVE archives first. */
export const keepLedgerTask = task(
  periodic('keep_ledger'),
  (services, _, { signal }) => {
    const { direct, clock, config } = services
    const keepMonth = config.isPlaysArchived ? archiveMonths({ ...services, pool: direct }, signal) : undefined
    return keepLedger(direct, clock(), config.playsKeptMonths, keepMonth)
  },
  '36 * * * *',
)
