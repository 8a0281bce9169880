import { contentType, Registry } from 'prom-client'
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
      const { reasons, freeBytes } = await readiness()
      const all = isStopping() ? ['the process is stopping', ...reasons] : reasons
      return json(all.length === 0 ? 200 : 503, {
        ok: all.length === 0,
        reasons: all,
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
