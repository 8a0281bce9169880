import type { Context, Viewer } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { unauthenticated } from '../viewer.ts'

/** A moment after what the viewer has shown runs out; clocks of other issuers are given some tolerance. */
const STEP_MS = 1_000

/**
 * Asks again and again whether the viewer is still who they were, for an answer that lasts: as often as the settings
 * say, and when their token or key runs out.
 * @param refuse called once, with `unauthenticated`
 * @returns ends it
 */
export function keepIdentified(
  { viewer, identifyAgain, config, clock, log }: Context,
  refuse: (error: AppError) => void,
) {
  let isEnded = false
  let timer: ReturnType<typeof setTimeout> | undefined

  function schedule({ expiresAt }: Viewer): void {
    const left = expiresAt ? expiresAt.getTime() - clock().getTime() : Number.POSITIVE_INFINITY
    const delay = Math.min(config.subscriptionCheckSeconds * 1000, Math.max(left, STEP_MS))
    if (!isEnded) timer = setTimeout(check, delay)
  }

  async function check(): Promise<void> {
    let known = viewer
    try {
      known = (await identifyAgain?.()) ?? null
      if (!known) throw unauthenticated()
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') return refuse(error)
      // While the database is away nothing is told either; the next time it says.
      log.warn({ err: error }, 'a subscriber could not be identified again')
      known = viewer
    }
    if (known) schedule(known)
  }

  if (viewer) schedule(viewer)
  return () => {
    isEnded = true
    clearTimeout(timer)
  }
}
