import { contentType, Registry } from 'prom-client'
import { createIsDeliveryDomain } from '../domain/organization/domain.ts'
import type { Services } from '../platform/context.ts'
import { version } from '../platform/version.ts'
import { createGauges } from './gauges.ts'
import { createReadiness } from './readiness.ts'

/** Health routes of every process, independent of its roles (operating.md, Health). */
export function healthRoutes(services: Services, isStopping: () => boolean) {
  const { tools } = services
  const readiness = createReadiness(services)
  return {
    '/health/live': () => json(200, { ok: true }),
    '/health/ready': async () => {
      const { reasons, warnings, freeBytes } = await readiness()
      const all = isStopping() ? ['the process is stopping', ...reasons] : reasons
      return json(all.length === 0 ? 200 : 503, {
        ok: all.length === 0,
        reasons: all,
        warnings,
        version,
        free_bytes: freeBytes,
        ffmpeg: tools.version,
        ffprobe: tools.ffprobeVersion,
        sandbox_missing: tools.missing,
      })
    },
  }
}

/**
 * Answers whether a proxy should obtain a certificate for the host `domain`: 200 for delivery domains of organizations and
 * the host of the edge, else 404. For on_demand_tls of Caddy.
 */
export function deliveryDomainRoute(services: Services) {
  const isDeliveryDomain = createIsDeliveryDomain(services)
  return {
    '/health/delivery-domain': async (request: Request) => {
      // Without a Host header, the address is a path.
      const host = new URL(request.url, services.config.publicUrl).searchParams.get('domain') ?? ''
      const isAllowed = await isDeliveryDomain(host).catch(() => null)
      return json(isAllowed === null ? 503 : isAllowed ? 200 : 404, { ok: isAllowed === true })
    },
  }
}

/**
 * Creates a reader of the metrics of this process, in the text format of Prometheus.
 * @param labels of every metric
 */
export function createMetricsReader(services: Services, labels: Record<string, string> = {}): () => Promise<string> {
  const registry = Registry.merge([services.metrics.registry, createGauges(services)])
  registry.setDefaultLabels(labels)
  return () => registry.metrics()
}

/** The route of the metrics that `read` returns. */
export const metricsRoute = (read: () => Promise<string>) => ({
  '/metrics': async () => new Response(await read(), { headers: { 'content-type': contentType } }),
})

const json = (status: number, body: object) => Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
