import { periodic, task } from '../../platform/jobs/task.ts'
import { keepLedger, rollUpPlays } from './roll-up.ts'

/** Sums the plays of past hours. */
export const rollUpPlaysTask = task(
  periodic('roll_up_plays'),
  ({ pool, clock }, _, { signal }) => rollUpPlays(pool, clock(), signal),
  '16 * * * *',
)

/** Creates the ledger's next months, and drops those older than PLAYS_KEPT_MONTHS. */
export const keepLedgerTask = task(
  periodic('keep_ledger'),
  ({ pool, clock, config }) => keepLedger(pool, clock(), config.playsKeptMonths),
  '36 * * * *',
)
