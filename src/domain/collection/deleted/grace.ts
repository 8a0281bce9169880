import type { Services } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { DAY_MS } from '../../../platform/time.ts'

type Timed = Pick<Services, 'clock' | 'config'>

/** Returns the time of deletions whose grace period ends now. What was deleted later can be restored. */
export const endOfGracePeriod = ({ clock, config }: Timed) =>
  new Date(clock().getTime() - config.deletedFilesKeptDays * DAY_MS)

/** Returns the end of the grace period of a deletion. */
export const restorableUntil = (
  { config }: { config: Pick<Services['config'], 'deletedFilesKeptDays'> },
  deletedAt: Date,
) => new Date(deletedAt.getTime() + config.deletedFilesKeptDays * DAY_MS)

/** @param subject as in "The track" */
export const graceEnded = ({ config }: Pick<Services, 'config'>, subject: string) =>
  new AppError(
    'expired',
    `${subject} was deleted more than ${config.deletedFilesKeptDays} days ago. Its files are removed, so it cannot be restored.`,
  )
