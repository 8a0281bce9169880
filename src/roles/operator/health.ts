import type { Services } from '../../platform/context.ts'
import { isUpToDate } from '../../platform/db/migrate.ts'

/** What every process answers, whatever its roles, as routes of its server (operating.md, Health). */
export function healthRoutes(services: Services, isStopping: () => boolean) {
  const { missing } = services.tools
  return {
    '/health/live': () => json(200, { ok: true }),
    '/health/ready': async () => {
      const reasons = isStopping() ? ['the process is stopping'] : await unreadiness(services)
      const isReady = reasons.length === 0
      return json(isReady ? 200 : 503, { ok: isReady, reasons, sandbox_missing: missing })
    },
    '/metrics': async () => {
      const { registry } = services.metrics
      return new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } })
    },
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
