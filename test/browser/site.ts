import type { Browser, Page } from 'playwright-core'
import { edgeRoutes } from '../../src/roles/edge/app.ts'
import { lastingPort } from '../support/ports.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { launchBrowser } from './launch.ts'

export interface Site {
  service: TestService
  page: Page
  /** Address of the client's site. */
  url: string
  stop: () => Promise<void>
}

/** A site without a browser. */
export type Host = Omit<Site, 'page'>

/**
 * Starts a site that uses the service, with three origins as in production: API, files, and the client's site.
 * @param env further settings of the service
 */
export async function startSite(
  serve: (request: Request) => Response,
  env: Record<string, string> = {},
): Promise<Host> {
  const [port, edgePort] = [Number(env.PORT ?? (await lastingPort())), await lastingPort()]
  const service = await startTestService({ ...env, PORT: String(port), EDGE_PORT: String(edgePort) })
  const common = { hostname: '127.0.0.1', idleTimeout: 60 }
  const site = Bun.serve({ ...common, port: 0, fetch: serve })
  const servers = [
    Bun.serve({ ...common, port, fetch: (request) => service.gateway(request) }),
    Bun.serve({ ...common, port: edgePort, ...edgeRoutes(service.edge) }),
    site,
  ]
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop(true)))
    await service.stop()
  }
  return { service, url: site.url.href, stop }
}

/** Opens such a site in the browser. */
export async function openSite(serve: (request: Request) => Response, env: Record<string, string> = {}): Promise<Site> {
  const host = await startSite(serve, env)
  let browser: Browser | undefined
  const stop = async () => {
    await browser?.close()
    await host.stop()
  }
  try {
    browser = await launchBrowser()
    const page = await browser.newPage()
    page.on('pageerror', (error) => console.error(error))
    await page.goto(host.url)
    return { ...host, page, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
