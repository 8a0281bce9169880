// Bundles the pages for people (src/web) into src/web/generated, from where the gateway serves them.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const root = join(import.meta.dir, '..')
const source = join(root, 'src/web/graphiql')
const target = join(root, 'src/web/generated')
const PUBLIC_PATH = '/graphql/assets/'

const workers = {
  editor: 'monaco-editor/esm/vs/editor/editor.worker.js',
  json: 'monaco-editor/esm/vs/language/json/json.worker.js',
  graphql: 'monaco-graphql/esm/graphql.worker.js',
}

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The editor's own sheet, which the page imports whole, holds these already. */
const withoutMonacoStyles: Bun.BunPlugin = {
  name: 'without-monaco-styles',
  setup: (build) => {
    build.onLoad({ filter: /monaco-editor[\\/]esm[\\/].*\.css$/ }, () => ({ contents: '', loader: 'js' }))
  },
}

/** Bundles into `outdir`; names carry a hash of the content. */
function bundle(entrypoints: string[], outdir: string, more: Partial<Bun.BuildConfig> = {}) {
  return Bun.build({
    entrypoints,
    outdir,
    target: 'browser',
    minify: true,
    publicPath: PUBLIC_PATH,
    naming: '[name]-[hash].[ext]',
    ...more,
    define: { 'process.env.NODE_ENV': '"production"', ...more.define },
  })
}

/** Makes everything beside the last build, then puts it in the place of that. */
export async function buildWeb(): Promise<void> {
  const outdir = `${target}.${process.pid}`
  mkdirSync(outdir, { recursive: true })
  try {
    await buildInto(outdir)
    rmSync(target, { recursive: true, force: true })
    renameSync(outdir, target)
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}

async function buildInto(outdir: string): Promise<void> {
  const addresses = Object.fromEntries(
    await Promise.all(
      Object.entries(workers).map(async ([label, path]) => {
        const { outputs } = await bundle([join(root, 'node_modules', path)], outdir)
        return [label, PUBLIC_PATH + basename(outputs[0]?.path ?? '')] as const
      }),
    ),
  )
  const folder = join(source, 'examples')
  const examples = readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  const { outputs } = await bundle([join(source, 'main.tsx')], outdir, {
    splitting: true,
    plugins: [withoutMonacoStyles],
    define: { BUILD: JSON.stringify({ workers: addresses, examples }) },
  })
  const named = (pattern: RegExp) => outputs.map(({ path }) => basename(path)).find((name) => pattern.test(name)) ?? ''
  const icon = readFileSync(join(source, 'icon.svg'))
  const iconName = `icon-${Bun.hash(icon).toString(36)}.svg`
  writeFileSync(join(outdir, iconName), icon)

  const page = readFileSync(join(source, 'page.html'), 'utf8')
    .replace('{icon}', PUBLIC_PATH + iconName)
    .replace('{style}', PUBLIC_PATH + named(/^main-.*\.css$/))
    .replace('{script}', PUBLIC_PATH + named(/^main-.*\.js$/))
  const names = readdirSync(outdir)
  const assets = await Promise.all(names.map(async (name) => [name, await prepare(join(outdir, name))] as const))
  writeFileSync(join(outdir, 'manifest.json'), JSON.stringify({ page, assets: Object.fromEntries(assets) }, null, 2))
}

/** Compresses a file beside itself. The second best quality of Brotli takes a tenth of the best one's time. */
async function prepare(path: string) {
  const bytes = readFileSync(path)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes, { level: 9 }),
  ])
  writeFileSync(`${path}.br`, br)
  writeFileSync(`${path}.gzip`, gz)
  const type = types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
  return { type, etag: Bun.SHA256.hash(bytes, 'hex').slice(0, 32) }
}
