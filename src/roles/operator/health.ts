import type { Services } from '../../platform/context.ts'
import { isUpToDate } from '../../platform/db/migrate.ts'

/**
 * `/health/live`, `/health/ready` and `/metrics`, which every process answers whatever its roles; null for any
 * other path.
 */
export function createHealth(services: Services, isStopping: () => boolean) {
  return async (pathname: string): Promise<Response | null> => {
    if (pathname === '/health/live') return json(200, { ok: true })
    if (pathname === '/health/ready') {
      const reasons = isStopping() ? ['the process is stopping'] : await unreadiness(services)
      const { missing } = services.tools
      const body = { ok: reasons.length === 0, reasons, sandbox_missing: missing }
      return json(reasons.length === 0 ? 200 : 503, body)
    }
    if (pathname === '/metrics') {
      const { registry } = services.metrics
      return new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } })
    }
    return null
  }
}

const TIMEOUT_MS = 3000

async function unreadiness(services: Services): Promise<string[]> {
  const checks: [name: string, check: () => Promise<unknown>][] = [
    [
      'database',
      async () => {
        if (!(await isUpToDate(services.pool))) throw new Error('migrations are missing')
      },
    ],
    ['storage', () => services.storage.check()],
  ]
  const results = await Promise.all(
    checks.map(async ([name, check]) => {
      try {
        await withTimeout(check())
        return []
      } catch (error) {
        services.log.warn({ err: error, check: name }, 'not ready')
        return [`${name}: ${reasonOf(error)}`]
      }
    }),
  )
  return results.flat()
}

/** Addresses and paths stay in the log. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  return code ?? (message === 'migrations are missing' || message === 'no answer in time' ? message : 'does not work')
}

async function withTimeout(work: Promise<unknown>): Promise<void> {
  const timer = Promise.withResolvers<never>()
  const timeout = setTimeout(() => timer.reject(new Error('no answer in time')), TIMEOUT_MS)
  try {
    await Promise.race([work, timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}

const json = (status: number, body: object) => Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
