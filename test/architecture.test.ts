import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { Glob } from 'bun'
import { devDependencies } from '../package.json'

const root = join(import.meta.dir, '../src')

interface Source {
  /** Path below src. */
  path: string
  text: string
  /** Files below src that it imports, as paths. */
  internal: string[]
  /** Packages that it imports. */
  packages: string[]
}

const sources: Source[] = [...new Glob('**/*.{ts,tsx}').scanSync(root)]
  .filter((path) => !path.includes('/generated/'))
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const named = [...text.matchAll(/(?<!')\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '')
    const internal = named
      .filter((name) => name.startsWith('.'))
      .map((name) => relative(root, resolve(root, dirname(path), name)))
      .filter((name) => !name.includes('/generated/'))
    return { path, text, internal, packages: named.filter((name) => !name.startsWith('.')) }
  })

/** Every import that breaks a rule, as `file -> imported`. */
function offences(breaks: (source: Source, imported: string) => boolean, of: 'internal' | 'packages' = 'internal') {
  return sources.flatMap((source) =>
    source[of].filter((imported) => breaks(source, imported)).map((imported) => `${source.path} -> ${imported}`),
  )
}

const layers = ['config.ts', 'platform', 'domain', 'roles', 'cli', 'main.ts']
const layerOf = (path: string) => layers.indexOf(path.split('/')[0] ?? '')

/** The order of concepts: each may import those before it. */
const concepts = [
  'access',
  'activity',
  'upload-address',
  'delivery',
  'event',
  'organization',
  'webhook',
  'variant',
  'creator',
  'collection',
  'track',
  'usage',
  'playback',
  'processing',
  'upload',
  'demo',
]
const conceptOf = (path: string) => (path.startsWith('domain/') ? (path.split('/')[1] ?? '') : '')

const isEdge = (path: string) => /(^|\/)(rest|graphql)\.ts$|\.task\.ts$/.test(path)

test('the tests read the tree', () => {
  expect(sources.length).toBeGreaterThan(60)
  expect(offences((_, imported) => imported.startsWith('platform/')).length).toBeGreaterThan(50)
})

test('imports run main -> cli -> roles -> domain -> platform -> config', () => {
  const unknown = sources.filter(({ path }) => layerOf(path) < 0 && !/^(web|client)\//.test(path))
  expect(unknown.map(({ path }) => path)).toEqual([])
  expect(offences(({ path }, imported) => layerOf(imported) > layerOf(path) && layerOf(path) >= 0)).toEqual([])
})

test('every concept is in the order, and none imports a later one', () => {
  const sourceConcepts = new Set(sources.map(({ path }) => conceptOf(path)).filter(Boolean))
  expect([...sourceConcepts].sort()).toEqual([...concepts].sort())
  const back = ({ path }: Source, imported: string) =>
    conceptOf(path) !== '' && concepts.indexOf(conceptOf(imported)) > concepts.indexOf(conceptOf(path))
  expect(offences(back)).toEqual([])
})

/** The cycles of a graph, each as a path that returns to its beginning. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const cycles: string[] = []
  function visit(node: string, trail: string[]): void {
    if (trail.includes(node)) cycles.push([...trail.slice(trail.indexOf(node)), node].join(' -> '))
    if (done.has(node) || trail.includes(node)) return
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node])
    done.add(node)
  }
  for (const node of graph.keys()) visit(node, [])
  return cycles
}

test('there are no import cycles', () => {
  expect(cyclesOf(new Map(sources.map(({ path, internal }) => [path, internal])))).toEqual([])
})

test('inside a folder, files and subfolders import each other in one direction', () => {
  const folders = new Map<string, Map<string, string[]>>()
  const imports = sources.flatMap(({ path, internal }) => internal.map((imported) => ({ path, imported })))
  for (const { path, imported } of imports) {
    const [from, to] = [path.split('/'), imported.split('/')]
    const depth = from.findIndex((name, at) => name !== to[at])
    const [importer, target] = [from[depth] ?? '', to[depth] ?? '']
    const folder = from.slice(0, depth).join('/')
    const entries = folders.get(folder) ?? new Map<string, string[]>()
    folders.set(folder, entries.set(importer, [...(entries.get(importer) ?? []), target]))
  }
  expect(folders.size).toBeGreaterThan(50)
  const back = [...folders].flatMap(([folder, entries]) => cyclesOf(entries).map((cycle) => `${folder}: ${cycle}`))
  expect(back).toEqual([])
})

test('each framework is imported only where it belongs', () => {
  const allowed: [packages: RegExp, places: RegExp][] = [
    [/^elysia/, /^roles\/|(^|\/)rest\.ts$/],
    [/^(@pothos|graphql-yoga|@graphql-yoga)/, /^roles\/gateway\/|^platform\/graphql\/|(^|\/)graphql\.ts$/],
    [/^graphql$/, /^roles\/gateway\/|^platform\/graphql\/|(^|\/)graphql\.ts$|^web\//],
    [
      /^(react|graphiql|@graphiql|graphql-sse|monaco|dompurify|@tanstack|wouter|uplot|uqr)/,
      /^web\/|^client\/react\.ts$/,
    ],
    [/^graphile-worker/, /^roles\/worker\/|^platform\/jobs\//],
  ]
  const misplaced = ({ path }: Source, imported: string) =>
    allowed.some(([packages, places]) => packages.test(imported) && !places.test(path))
  expect(offences(misplaced, 'packages')).toEqual([])
})

test('no package for development is imported, so that a production install starts', () => {
  const isDevelopment = (imported: string) =>
    Object.keys(devDependencies).some((name) => imported === name || imported.startsWith(`${name}/`))
  expect(isDevelopment('@prisma/schema-engine-wasm/schema_engine_bg')).toBe(true)
  expect(offences((_, imported) => isDevelopment(imported), 'packages')).toEqual([])
})

test('the client uses no code of the service, and only the command that shows it uses the client', () => {
  const isClient = (path: string) => path.startsWith('client/')
  expect(sources.filter(({ path }) => isClient(path)).length).toBeGreaterThan(5)
  expect(offences(({ path }, imported) => isClient(path) && !isClient(imported))).toEqual([])
  const user = /^(web\/|cli\/demo\.ts$)/
  expect(offences(({ path }, imported) => isClient(imported) && !isClient(path) && !user.test(path))).toEqual([])
  const packages = /^(openapi-fetch|standardwebhooks|tus-js-client)$/
  // Modules for some programs only have subpaths of their own.
  const subpaths: Record<string, RegExp> = { 'client/node.ts': /^node:(fs|path)$/, 'client/react.ts': /^react$/ }
  const isExample = (path: string) => path.startsWith('client/examples/')
  expect(
    offences(
      ({ path }, imported) =>
        isClient(path) && !isExample(path) && !packages.test(imported) && !subpaths[path]?.test(imported),
      'packages',
    ),
  ).toEqual([])
  // As a user of the package imports it.
  const allowedImport = /^(@tonearm\/client(\/(node|react|webhook))?|node:\w+)$/
  expect(sources.filter(({ path }) => isExample(path)).length).toBeGreaterThan(3)
  expect(offences(({ path }, imported) => isExample(path) && !allowedImport.test(imported), 'packages')).toEqual([])
})

test('web pages share no code with the service', () => {
  const isWeb = (path: string) => path.startsWith('web/')
  expect(sources.filter(({ path }) => isWeb(path)).length).toBeGreaterThan(10)
  expect(offences(({ path }, imported) => isWeb(path) !== isWeb(imported) && !imported.startsWith('client/'))).toEqual(
    [],
  )
  const packages =
    /^(react|graphiql|@graphiql|graphql$|graphql-sse$|monaco|dompurify$|@tanstack\/react-query$|wouter|uplot|uqr$|lucide$|media-captions$|hls\.js(\/light)?$|music-metadata$)/
  const server = ({ path }: Source, imported: string) => isWeb(path) && !packages.test(imported)
  expect(offences(server, 'packages')).toEqual([])
  const served = sources.filter(({ path, text }) => /web\/generated/.test(text) && !path.startsWith('roles/gateway/'))
  // Refusals of every role have the colors of the pages.
  expect(served.map(({ path }) => path)).toEqual(['platform/http/small-page.ts'])
})

/** The tables of each concept. Others call its functions instead of naming them in SQL, Prisma or the reader. */
const tablesOf: Record<string, string[]> = {
  platform: [
    'installation',
    'idempotency_key',
    'metric_reading',
    'schema_definition',
    'schema_migration',
    'signing_key',
    'worker_pool',
  ],
  access: [
    'administrator',
    'api_key',
    'invitation',
    'passkey',
    'rate_limit',
    'recovery_code',
    'sign_in_link',
    'sign_in_session',
  ],
  activity: ['activity'],
  delivery: ['delivery_change'],
  event: ['event'],
  organization: ['organization', 'signing_secret'],
  webhook: ['webhook_endpoint', 'webhook_delivery', 'webhook_attempt'],
  usage: [
    'audience_day',
    'play_archive',
    'play_counted',
    'play_day',
    'play_day_creator',
    'play_day_collection',
    'play_day_track',
    'play_event_rest',
    'processing_time',
  ],
  variant: ['variant'],
  creator: ['creator', 'folder'],
  collection: ['collection'],
  track: [
    'track',
    'track_file',
    'track_sum',
    'stale_file',
    'transcript_search',
    'transcript_words',
    'translation',
    'unused_object',
  ],
  playback: [
    'play_session',
    'play_event',
    'last_listen',
    'listener_key',
    'listening',
    'retention_day',
    'share_count',
    'share_listen',
    'share_listener',
  ],
  processing: ['job', 'batch', 'transcription', 'transcription_month'],
  upload: ['upload_session', 'resumable_upload', 'source_pull'],
}

/** Tables that the Prisma schema does not have. */
const unmodeled = ['delivery_change', 'play_event_rest', 'schema_definition', 'schema_migration']

/** Tables of others that a concept names, each with the reason. The test fails for an entry that is not used. */
const foreignTables: { user: string; tables: string[]; reason: string }[] = [
  {
    user: 'delivery',
    tables: ['collection', 'organization', 'track', 'variant'],
    reason: 'one statement finds a file and the secrets of its organization; none of them may be imported',
  },
  { user: 'delivery', tables: ['track_file'], reason: 'triggers record the changes that end a delivery' },
  { user: 'cli', tables: ['collection', 'organization'], reason: 'the demo is made in one transaction' },
  {
    user: 'activity',
    tables: [
      'administrator',
      'api_key',
      'collection',
      'creator',
      'invitation',
      'organization',
      'passkey',
      'sign_in_session',
      'track',
      'translation',
      'variant',
      'webhook_endpoint',
    ],
    reason: 'triggers record the changes of all of them',
  },
  { user: 'access', tables: ['organization'], reason: 'its row is locked while an owner leaves' },
  { user: 'access', tables: ['collection', 'creator', 'track', 'variant'], reason: 'what a new key refers to exists' },
  { user: 'organization', tables: ['webhook_endpoint'], reason: 'webhook_url; webhook may not be imported' },
  { user: 'webhook', tables: ['event'], reason: 'redelivery joins events and deliveries' },
  { user: 'usage', tables: ['collection', 'play_event', 'track_sum'], reason: 'sums are made in one statement' },
  {
    user: 'usage',
    tables: ['job', 'track', 'transcription'],
    reason: 'a trigger records the time of a job with the owner of its files, or what it has transcribed',
  },
  { user: 'usage', tables: ['api_key', 'creator', 'variant'], reason: 'names of played records, of deleted ones, too' },
  { user: 'variant', tables: ['track', 'track_file'], reason: 'indexes of track variants; track may not be imported' },
  { user: 'creator', tables: ['collection', 'track'], reason: 'a creator in use stays; neither may be imported' },
  { user: 'collection', tables: ['track'], reason: 'tracks are deleted with it; track may not be imported' },
  { user: 'track', tables: ['collection'], reason: 'its row is locked while a track gets its order' },
  { user: 'track', tables: ['variant'], reason: 'the view stale_file compares files with their variants' },
  {
    user: 'playback',
    tables: ['api_key', 'collection', 'track'],
    reason: 'what a play session may open',
  },
  {
    user: 'playback',
    tables: ['organization', 'track_file', 'variant'],
    reason: 'one statement opens stream links and counts plays; keys and sessions follow a renamed variant',
  },
  {
    user: 'processing',
    tables: ['collection', 'organization', 'track', 'track_file', 'unused_object', 'variant'],
    reason: 'a run changes the state of a track and its files with the job',
  },
  {
    user: 'processing',
    tables: ['api_key', 'play_session'],
    reason: 'the row of a purged track stays while one refers to it',
  },
  {
    user: 'upload',
    tables: ['collection', 'organization', 'track'],
    reason: 'an upload changes the state of its record',
  },
]

interface SqlDefinition {
  /** Path below src. */
  path: string
  name: string
  /** The first line. */
  owner: string
  /** Statements without comments. */
  text: string
}

const sqlDefinitions: SqlDefinition[] = [...new Glob('platform/db/sql/*.sql').scanSync(root)].sort().map((path) => {
  const text = readFileSync(join(root, path), 'utf8')
  const owner = /^-- Owner: (\w+)\n/.exec(text)?.[1] ?? ''
  return { path, name: basename(path, '.sql'), owner, text: text.replace(/--.*/g, '') }
})

/** Objects that a definition creates, as `kind name`. The body of a function is not looked at. */
const objectsOf = ({ text }: SqlDefinition) =>
  text
    .replace(/\$\$[\s\S]*?\$\$/g, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .map((statement) => {
      const [, kind, name, table] =
        /^CREATE OR REPLACE (FUNCTION|VIEW|TRIGGER) (?:ledger\.)?(\w+)(?:[^;]*? ON (\w+))?/.exec(statement) ?? []
      return kind === undefined ? statement : `${kind} ${name}${kind === 'TRIGGER' ? ` of ${table}` : ''}`
    })

test('a definition has an owner, and creates or replaces the object that it is named after and its triggers', () => {
  expect(sqlDefinitions.length).toBeGreaterThan(20)
  for (const definition of sqlDefinitions) {
    expect(concepts, definition.path).toContain(definition.owner)
    const [first = '', ...others] = objectsOf(definition)
    expect(first, definition.path).toMatch(new RegExp(`^(FUNCTION|VIEW) ${definition.name}$`))
    for (const other of others) expect(other, definition.path).toMatch(/^TRIGGER \w+ of \w+$/)
  }
  const created = sqlDefinitions.flatMap(objectsOf)
  expect(created.filter((object, place) => created.indexOf(object) !== place)).toEqual([])
})

test('a concept names only its own tables, in SQL and in calls of Prisma and the reader', () => {
  const schema = readFileSync(join(root, '../schema.prisma'), 'utf8')
  const models = [...schema.matchAll(/^(?:model|view) (\w+) \{[\s\S]*?@@map\("(\w+)"\)/gm)]
  const tableOf = new Map(models.flatMap(([, model = '', table = '']) => [[model.toLowerCase(), table] as const]))
  const owners = new Map(Object.entries(tablesOf).flatMap(([owner, tables]) => tables.map((table) => [table, owner])))
  expect([...owners.keys()].sort()).toEqual([...tableOf.values(), ...unmodeled].sort())

  const inSql = /\b(?:FROM|JOIN|UPDATE|INTO|USING|LOCK TABLE)\s+(?:ONLY\s+)?(?:ledger\.)?"?(\w+)"?/g
  const ofTrigger = /\bTRIGGER[^;]*? ON (\w+)/g
  const byPrisma = /\.(\w+)\s*\.(?:find|create|update|delete|upsert|count|aggregate|groupBy)\w*\(/g
  const byReader = /\b(?:readFirst|readMany|count|take)\(\s*'(\w+)'/g
  const named = ({ text }: Source) => [
    ...[...text.matchAll(inSql)].map(([, table = '']) => table),
    ...[byPrisma, byReader].flatMap((calls) =>
      [...text.matchAll(calls)].map(([, model = '']) => tableOf.get(model.toLowerCase()) ?? ''),
    ),
  ]
  const inSources = sources.flatMap((source) =>
    named(source).map((table) => ({
      user: conceptOf(source.path) || (source.path.split('/')[0] ?? ''),
      table,
      path: source.path,
    })),
  )
  const inDefinitions = sqlDefinitions.flatMap(({ owner, path, text }) =>
    [...text.matchAll(inSql), ...text.matchAll(ofTrigger)].map(([, table = '']) => ({ user: owner, table, path })),
  )
  expect(inDefinitions.length).toBeGreaterThan(50)
  const uses = [...inSources, ...inDefinitions].filter(({ table }) => owners.has(table))
  expect(uses.length).toBeGreaterThan(100)

  const allowed = new Set(foreignTables.flatMap(({ user, tables }) => tables.map((table) => `${user} ${table}`)))
  const foreign = uses.filter(({ user, table }) => owners.get(table) !== user)
  const offending = foreign.filter(({ user, table }) => !allowed.has(`${user} ${table}`))
  expect([...new Set(offending.map(({ path, table }) => `${path} names ${table} of ${owners.get(table)}`))]).toEqual([])
  const used = new Set(foreign.map(({ user, table }) => `${user} ${table}`))
  expect([...allowed].filter((use) => !used.has(use))).toEqual([])
})

test('programs are started only by the media layer, the probe for wrappers and the embedded database', () => {
  const places = /^platform\/(media\/|db\/embedded\.ts$)/
  const spawning = sources.filter(({ path, text }) => /Bun\.spawn|child_process/.test(text) && !places.test(path))
  expect(spawning.map(({ path }) => path)).toEqual([])
})

test('a use case never imports an edge of its concept, nor anything of HTTP', () => {
  const isUseCase = (path: string) => path.startsWith('domain/') && !isEdge(path)
  expect(offences(({ path }, imported) => isUseCase(path) && isEdge(imported))).toEqual([])
  const http = sources.filter(({ path, text }) => isUseCase(path) && /\bnew (Request|Response|Headers)\(/.test(text))
  expect(http.map(({ path }) => path)).toEqual([])
})

test('storage is read on the event loop only where it is known to answer', () => {
  const isServing = (path: string) => /^(roles|domain|platform\/(storage|http))\//.test(path)
  const reading = sources.filter(
    ({ path, text }) => isServing(path) && /\b(?:open|read|stat|exists|readFile|access)Sync\(/.test(text),
  )
  // Those of pages are read at the start.
  const places = [
    'platform/http/small-page.ts',
    'platform/storage/local.ts',
    'platform/storage/open-files.ts',
    'roles/gateway/web-page.ts',
  ]
  expect(reading.map(({ path }) => path).sort()).toEqual(places)
})

test('only main and programs of their own read the environment', () => {
  const isProgram = (path: string) => path === 'main.ts' || path.startsWith('client/examples/')
  const reading = sources.filter(({ path, text }) => !isProgram(path) && /process\.env|Bun\.env/.test(text))
  expect(reading.map(({ path }) => path)).toEqual([])
})

test('no folder or file is called utils, helpers or common', () => {
  expect(sources.map(({ path }) => path).filter((path) => /(^|\/)(utils|helpers|common)(\.|\/)/.test(path))).toEqual([])
})
