import { join } from 'node:path'

/** Builds client-page.ts, and returns what serves it as the site of a user of the npm package. */
export async function serveClientPage(): Promise<(request: Request) => Response> {
  const built = await Bun.build({ entrypoints: [join(import.meta.dir, 'client-page.ts')], target: 'browser' })
  const script = await built.outputs[0]?.text()
  const page = '<!doctype html><title>A site</title><body><script type="module" src="/page.js"></script>'
  return ({ url }) =>
    new URL(url).pathname === '/page.js'
      ? new Response(script, { headers: { 'content-type': 'text/javascript' } })
      : new Response(page, { headers: { 'content-type': 'text/html' } })
}
