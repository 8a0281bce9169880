// `bun .config/components.ts`: serves every component of the studio in its states, for development.
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from './once.ts'
import { designPath, fonts, withFont } from './web.ts'

const folder = join(root, 'src/web/studio/components')

/** Builds the page and serves it on a free port of this machine. @returns its address, and how to stop it */
export async function serveComponents(): Promise<{ url: string; stop: () => Promise<void> }> {
  const { outputs } = await Bun.build({
    entrypoints: [join(folder, 'main.tsx')],
    target: 'browser',
    plugins: [withFont],
    external: [`${designPath}*`],
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const files = new Map<string, Blob>(outputs.map((file) => [`/${basename(file.path)}`, file]))
  for (const { file, bytes } of fonts) files.set(designPath + file, new Blob([bytes], { type: 'font/woff2' }))
  const find = (end: string) => [...files.keys()].find((path) => path.endsWith(end)) ?? ''
  const html = readFileSync(join(folder, 'page.html'), 'utf8')
  const page = html.replace('{style}', find('.css')).replace('{script}', find('.js'))
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => {
      const file = files.get(new URL(url).pathname)
      return new Response(file ?? page, file ? {} : { headers: { 'content-type': 'text/html; charset=utf-8' } })
    },
  })
  return { url: server.url.href, stop: () => server.stop(true) }
}

if (import.meta.main) console.log((await serveComponents()).url)
