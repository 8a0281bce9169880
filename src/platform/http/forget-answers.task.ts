import { periodic, task } from '../jobs/task.ts'
import { DAY_MS } from '../time.ts'

/** Deletes the stored answers of Idempotency-Keys after 24 hours (contract, section 1). */
export const forgetAnswersTask = task(
  periodic('forget_answers'),
  async ({ db, clock }) => {
    const before = new Date(clock().getTime() - DAY_MS)
    await db.idempotencyKey.deleteMany({ where: { createdAt: { lt: before } } })
  },
  '23 * * * *',
)
