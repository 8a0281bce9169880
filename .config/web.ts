// Bundles the web pages (src/web) into src/web/generated, which the gateway serves.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { parse } from 'graphql'
import { icons } from 'lucide'
import sharp from 'sharp'
import { writeIcon } from '../src/web/design/icon-html.ts'
import strings from '../src/web/strings.json'
import { renderGuides } from './guides.ts'
import { renderReference } from './reference.ts'

const root = join(import.meta.dir, '..')
const source = join(root, 'src/web')
const target = join(root, 'src/web/generated')

/** Public paths of the files of each page. */
const publicPaths = {
  graphiql: '/graphql/assets/',
  docs: '/docs/assets/',
  listen: '/s/assets/',
  studio: '/studio/assets/',
  upload: '/u/assets/',
}
type Page = keyof typeof publicPaths

/** Public path of the font, which all pages share. */
export const designPath = '/design/'
/** Parts of Geist by their names in font.css. A browser loads those whose letters a page has. */
const fontFiles = { 'geist-latin': 'geist-latin-wght-normal', 'geist-latin-ext': 'geist-latin-ext-wght-normal' }
export const fonts = Object.entries(fontFiles).map(([name, file]) => {
  const bytes = readFileSync(join(root, `node_modules/@fontsource-variable/geist/files/${file}.woff2`))
  return { name, bytes, file: `${name}-${Bun.hash(bytes).toString(36)}.woff2` }
})

/** Loads the letters of most pages together with their style. */
const fontLink = `<link rel="preload" as="font" type="font/woff2" href="${designPath}${fonts[0]?.file}" crossorigin>`

const workers = {
  editor: 'monaco-editor/esm/vs/editor/editor.worker.js',
  json: 'monaco-editor/esm/vs/language/json/json.worker.js',
  graphql: 'monaco-graphql/esm/graphql.worker.js',
}

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  // A picture in PNG, which browsers take in its place.
  ico: 'image/png',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

/** The page imports the editor's style sheet, which already contains these. */
const withoutMonacoStyles: Bun.BunPlugin = {
  name: 'without-monaco-styles',
  setup: (build) => {
    build.onLoad({ filter: /monaco-editor[\\/]esm[\\/].*\.css$/ }, () => ({ contents: '', loader: 'js' }))
  },
}

/** Names the files of the font by the hash of their content. */
export const withFont: Bun.BunPlugin = {
  name: 'with-font',
  setup: (build) => {
    build.onLoad({ filter: /web[\\/]design[\\/]font\.css$/ }, ({ path }) => ({
      contents: fonts.reduce(
        (css, { name, file }) => css.replace(`${designPath}${name}.woff2`, designPath + file),
        readFileSync(path, 'utf8'),
      ),
      loader: 'css',
    }))
  },
}

/** Bundles into `outdir`. File names contain a hash of the content. */
function bundle(page: Page, entrypoints: string[], outdir: string, more: Partial<Bun.BuildConfig> = {}) {
  return Bun.build({
    entrypoints,
    outdir,
    target: 'browser',
    minify: true,
    publicPath: publicPaths[page],
    naming: '[name]-[hash].[ext]',
    external: [`${designPath}*`],
    ...more,
    plugins: [withFont, ...(more.plugins ?? [])],
    define: { 'process.env.NODE_ENV': '"production"', ...more.define },
  })
}

/** Builds into a sibling folder, then replaces the previous build. */
export async function buildWeb(): Promise<void> {
  const outdir = `${target}.${process.pid}`
  try {
    await Promise.all([
      buildDesign(join(outdir, 'design')),
      buildGraphiql(join(outdir, 'graphiql')),
      buildDocs(join(outdir, 'docs')),
      buildListen(join(outdir, 'listen')),
      buildProgram('studio', join(outdir, 'studio')),
      buildProgram('upload', join(outdir, 'upload')),
    ])
    writeFileSync(join(outdir, 'operations.json'), JSON.stringify(await listOperations()))
    rmSync(target, { recursive: true, force: true })
    renameSync(outdir, target)
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}

/** Texts of all operations that the pages send. A fragment is in the texts that use it. */
async function listOperations(): Promise<string[]> {
  const [session, studio] = await Promise.all([
    import('../src/web/session/operations.ts'),
    import('../src/web/studio/generated/operations.ts'),
  ])
  return [...Object.values(session), ...Object.values(studio)]
    .map(String)
    .filter((text) => /^\s*(query|mutation|subscription)\b/.test(text))
}

/** Icons of the start page, by the names of lucide. */
const startIcons = ['AudioLines', 'BookOpen', 'Braces', 'SquareTerminal'] as const

/** Size of a touch icon in pixels, and the part of it that is free around the mark. */
const TOUCH_ICON = { size: 180, margin: 22, background: '#f6f5f3' }

/** The mark as pictures, under the names that browsers and telephones ask for without a page. */
async function drawIcons(): Promise<{ file: string; bytes: Buffer }[]> {
  const draw = (size: number) => sharp(join(source, 'icon.svg'), { density: 600 }).resize(size, size)
  const { size, margin, background } = TOUCH_ICON
  const mark = await draw(size - 2 * margin)
    .extend({ top: margin, bottom: margin, left: margin, right: margin, background })
    .flatten({ background })
    .png()
    .toBuffer()
  return [
    { file: 'favicon.ico', bytes: await draw(48).png().toBuffer() },
    { file: 'apple-touch-icon.png', bytes: mark },
  ]
}

/** The font, and what pages without a build of their own need (platform/http/small-page.ts). */
async function buildDesign(outdir: string): Promise<void> {
  mkdirSync(outdir, { recursive: true })
  const files = [...fonts, ...(await drawIcons())]
  for (const { file, bytes } of files) writeFileSync(join(outdir, file), bytes)
  const assets = await Promise.all(files.map(async ({ file }) => [file, await prepare(join(outdir, file))] as const))
  writeFileSync(join(outdir, 'manifest.json'), JSON.stringify({ pages: {}, assets: Object.fromEntries(assets) }))
  const { outputs } = await Bun.build({
    entrypoints: [join(source, 'design/tokens.css')],
    minify: true,
    external: [`${designPath}*`],
    plugins: [withFont],
  })
  const tokens = await outputs[0]?.text()
  const startPageIcons = Object.fromEntries(startIcons.map((name) => [name, writeIcon(icons[name])]))
  writeFileSync(join(outdir, 'small-page.json'), JSON.stringify({ tokens, icons: startPageIcons }))
}

async function buildGraphiql(outdir: string): Promise<void> {
  const addresses = Object.fromEntries(
    await Promise.all(
      Object.entries(workers).map(async ([label, path]) => {
        const { outputs } = await bundle('graphiql', [join(root, 'node_modules', path)], outdir)
        return [label, publicPaths.graphiql + basename(outputs[0]?.path ?? '')] as const
      }),
    ),
  )
  const folder = join(source, 'graphiql/examples')
  const examples = readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  const { outputs } = await bundle('graphiql', [join(source, 'graphiql/main.tsx')], outdir, {
    splitting: true,
    plugins: [withoutMonacoStyles],
    define: { BUILD: JSON.stringify({ workers: addresses, examples }) },
  })
  await finish('graphiql', outdir, outputs)
}

/** The guides, the reference, and the index of the search in both. */
async function buildDocs(outdir: string): Promise<void> {
  const folder = join(source, 'docs')
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const { outputs } = await bundle('docs', [join(folder, 'main.ts'), join(folder, 'guide.ts')], outdir)
  const guides = renderGuides(join(folder, 'guides'), read('guide.html'))
  const document = JSON.parse(read('generated/openapi.json'))
  const reference = renderReference(document, read('page.html'), parse(read('equal-operations.graphql')))
  const index = JSON.stringify([...guides.index, ...reference.index])
  const indexName = `search-${Bun.hash(index).toString(36)}.json`
  writeFileSync(join(outdir, indexName), index)
  const pages = Object.entries({ ...guides.pages, ...reference.pages }).map(([name, html]) => [
    name,
    html.replace('{searchIndex}', publicPaths.docs + indexName),
  ])
  await finish('docs', outdir, outputs, Object.fromEntries(pages))
}

/** The listener page, once for each language. */
async function buildListen(outdir: string): Promise<void> {
  const { outputs } = await bundle('listen', [join(source, 'listen/main.ts')], outdir, { splitting: true })
  await finish('listen', outdir, outputs, translations('listen'))
}

/** Areas of the texts that the uploader page uses. The others are a fifth of its script, compressed. */
export const uploadAreas = ['upload', 'problem', 'reason'] as const

/** Leaves out the texts of other areas. */
const withTextsOf = (areas: readonly string[]): Bun.BunPlugin => ({
  name: 'texts',
  setup(build) {
    const contents = JSON.stringify(
      Object.fromEntries(
        Object.entries(strings).map(([language, texts]) => [
          language,
          Object.fromEntries(Object.entries(texts).filter(([area]) => areas.includes(area))),
        ]),
      ),
    )
    build.onLoad({ filter: /\/web\/strings\.json$/ }, () => ({ contents, loader: 'json' }))
  },
})

/** The studio or the uploader page, once for each language. Chunks are loaded when a part of it is opened. */
async function buildProgram(page: 'studio' | 'upload', outdir: string): Promise<void> {
  const plugins = page === 'upload' ? [withTextsOf(uploadAreas)] : []
  const { outputs } = await bundle(page, [join(source, page, 'main.tsx')], outdir, { splitting: true, plugins })
  await finish(page, outdir, outputs, translations(page))
}

/** The page by language. `{t:name}` is a text of the area with the page's name. */
function translations(page: 'listen' | 'studio' | 'upload'): Record<string, string> {
  const template = readFileSync(join(source, page, 'page.html'), 'utf8')
  const pages = Object.entries(strings).map(([language, areas]) => {
    const texts: Record<string, string> = areas[page]
    const html = template.replace('lang="en"', `lang="${language}"`)
    return [language, html.replace(/\{t:(\w+)\}/g, (placeholder, name) => texts[name] ?? placeholder)]
  })
  return Object.fromEntries(pages)
}

/**
 * Inserts the file names into the pages, and writes the manifest with the headers of each file.
 * @param more further pages by name
 */
async function finish(
  page: Page,
  outdir: string,
  outputs: Bun.BuildArtifact[],
  more: Record<string, string> = {},
): Promise<void> {
  const publicPath = publicPaths[page]
  const named = (pattern: RegExp) => outputs.map(({ path }) => basename(path)).find((name) => pattern.test(name)) ?? ''
  const icon = readFileSync(join(source, 'icon.svg'))
  const iconName = `icon-${Bun.hash(icon).toString(36)}.svg`
  writeFileSync(join(outdir, iconName), icon)
  const withAddresses = (html: string) =>
    html
      .replaceAll('{icon}', publicPath + iconName)
      .replace('{font}', fontLink)
      .replace(/\{icon:(\w+)\}/g, (_, name: keyof typeof icons) => writeIcon(icons[name]))
      .replace('{style}', publicPath + named(/^main-.*\.css$/))
      .replace('{guideStyle}', publicPath + named(/^guide-.*\.css$/))
      .replace('{guideScript}', publicPath + named(/^guide-.*\.js$/))
      .replace('{script}', publicPath + named(/^main-.*\.js$/))
  const templates = { index: readFileSync(join(source, page, 'page.html'), 'utf8'), ...more }
  const pages = Object.fromEntries(Object.entries(templates).map(([name, html]) => [name, withAddresses(html)]))
  const names = readdirSync(outdir)
  const assets = await Promise.all(names.map(async (name) => [name, await prepare(join(outdir, name))] as const))
  const manifest = { pages, assets: Object.fromEntries(assets) }
  writeFileSync(join(outdir, 'manifest.json'), JSON.stringify(manifest, null, 2))
}

/**
 * Writes compressed versions next to a file. The second-best quality of Brotli takes a tenth of the best one's time.
 */
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
