import type { Context, Viewer } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { unauthenticated } from '../viewer.ts'

/** Shortest pause between two checks; allows for clock differences to external issuers. */
const STEP_MS = 1_000

/**
 * Authenticates the viewer of a long-lived response again, at the configured interval and when their token or key
 * expires.
 * @param refuse called once, with `unauthenticated`, when the viewer is no longer valid
 * @returns a function that stops the checks
 */
export function keepIdentified(
  { viewer, identifyAgain, config, clock, log }: Context,
  refuse: (error: AppError) => void,
) {
  let isEnded = false
  let timer: ReturnType<typeof setTimeout> | undefined

  function schedule({ expiresAt }: Viewer): void {
    const remainingMs = expiresAt ? expiresAt.getTime() - clock().getTime() : Number.POSITIVE_INFINITY
    const delay = Math.min(config.subscriptionCheckSeconds * 1000, Math.max(remainingMs, STEP_MS))
    if (!isEnded) timer = setTimeout(check, delay)
  }

  async function check(): Promise<void> {
    let current = viewer
    try {
      current = (await identifyAgain?.()) ?? null
      if (!current) throw unauthenticated()
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') return refuse(error)
      // While the database is unavailable no event is sent either. The next check decides.
      log.warn({ err: error }, 'authenticating a subscriber again failed')
      current = viewer
    }
    if (current) schedule(current)
  }

  if (viewer) schedule(viewer)
  return () => {
    isEnded = true
    clearTimeout(timer)
  }
}
