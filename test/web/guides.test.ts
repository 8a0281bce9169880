// The tables of the guides agree with the code.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { parse, validate } from 'graphql'
import { renderGuides } from '../../.config/guides.ts'
import { loadConfig } from '../../src/config.ts'
import { signDelivery } from '../../src/domain/delivery/token.ts'
import { DeliveryState, JobState, TrackStatus } from '../../src/platform/db/generated/client/enums.ts'
import { statusOf } from '../../src/platform/errors.ts'
import { limits } from '../../src/platform/graphql/limits.ts'
import { toolSources } from '../../src/roles/gateway/mcp/tools.ts'
import { schema } from '../../src/roles/gateway/schema.ts'
import { cutExcerpt, searchEntries, splitMatches } from '../../src/web/docs/search.ts'
import strings from '../../src/web/strings.json'
import { formatReason } from '../../src/web/strings.ts'
import { startTestService, type TestService } from '../support/service.ts'

const root = join(import.meta.dir, '../..')
const folder = join(root, 'src/web/docs/guides')
const names = readdirSync(folder)
const guide = (name: string) => readFileSync(join(folder, `${name}.md`), 'utf8')
/** Code blocks of a language; an empty one for blocks without. */
const blocks = (text: string, language: string) =>
  [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? '')

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

test('every request code is in the guide with its status, and no other', () => {
  const [, table = ''] = guide('status-codes').split(/^## /m).slice(1)[0]?.split('|---|---|---|---|') ?? []
  const rows = [...table.matchAll(/^\| (\d+) \| `([a-z_]+)` \|/gm)].map(([, status, code]) => [code, Number(status)])
  expect(Object.fromEntries(rows)).toEqual(statusOf)
})

/** Codes whose texts have numbers or names of the case: the pages show the sentence of the service. */
const detailedCodes = ['damaged', 'normalization_limited', 'source_refused']

test('every code of a track or file has a text in each language of the pages, unless its sentence has details', () => {
  const [, ...sections] = guide('status-codes').split(/^## /m).slice(1)
  const codes = [...sections.join('').matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code = '']) => code)
  expect(codes.length).toBeGreaterThan(40)
  const expected = codes.filter((code) => !detailedCodes.includes(code)).sort()
  for (const { reason } of Object.values(strings)) expect(Object.keys(reason).sort()).toEqual(expected)
  expect(formatReason({ statusCode: 'no_sound', statusText: 'The file contains no sound.' })).toStartWith('There is no')
  expect(formatReason({ statusCode: 'damaged', statusText: 'Damaged at 3.2 seconds.' })).toBe('Damaged at 3.2 seconds.')
  expect(formatReason({ statusCode: null, statusText: null })).toBeNull()
})

/** Status codes of tracks and files, as the source writes them. */
function codesInSource(): string[] {
  const folders = ['domain/processing', 'domain/upload', 'domain/variant', 'platform/media']
  const files = folders.flatMap((folder) => [...new Glob(`${folder}/**/*.ts`).scanSync(join(root, 'src'))])
  const text = files.map((file) => readFileSync(join(root, 'src', file), 'utf8')).join('\n')
  const written = [...text.matchAll(/(?:statusCode: |PullError\(\s*|\bcode: )'([a-z]+(?:_[a-z]+)+)'/g)]
  return [...new Set(written.map((match) => match[1] ?? ''))]
}

test('every status code of a track or file in the source is in the guide', () => {
  const codes = codesInSource()
  expect(codes.length).toBeGreaterThan(10)
  const text = guide('status-codes')
  expect(codes.filter((code) => !text.includes(`| \`${code}\` |`))).toEqual([])
})

test('the guide of agents has exactly the tools that exist', () => {
  const rows = [...guide('connect-an-agent').matchAll(/^\| (`.*?`) \|/gm)].map(([, names]) => names ?? '')
  const names = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  const tools = toolSources.map(({ operation }) => /^\w+ (\w+)/.exec(operation)?.[1])
  expect(names.sort()).toEqual(tools.sort())
})

test('the guide of agents marks exactly the tools that are marked as destructive', () => {
  const rows = [...guide('connect-an-agent').matchAll(/^\| (`.*?`) \| destructive: /gm)]
  const names = rows.flatMap(([, row = '']) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  const tools = toolSources.filter(({ isDestructive }) => isDestructive)
  expect(names.sort()).toEqual(tools.map(({ operation }) => /^\w+ (\w+)/.exec(operation)?.[1]).sort())
})

const diagrams: [file: string, place: number, states: object][] = [
  ['build-an-app', 0, TrackStatus],
  ['build-an-app', 1, JobState],
  ['webhooks', 0, DeliveryState],
]
test.each(diagrams)('state diagram of %s, %d, has every state, and a way to it', (file, place, states) => {
  const lines = blocks(guide(file), 'mermaid')[place]?.matchAll(/^ {2}(\S+) --> (\w+): .+$/gm) ?? []
  const arrows = [...lines].map(([, from = '', to = '']) => [from, to] as const)
  expect([...new Set(arrows.map(([, to]) => to))].sort()).toEqual(Object.values(states).sort())
  const origins = new Set(arrows.map(([from]) => from))
  origins.delete('[*]')
  expect([...origins].filter((state) => !(state in states))).toEqual([])
})

test('every state diagram is compared with its enum', () => {
  expect(examples('mermaid').length).toBe(diagrams.length)
})

test('the pages show a state diagram as a table', () => {
  const { pages } = renderGuides(folder, '{content}')
  expect(pages['guides/webhooks']).toContain(
    '<tr><td>none</td><td><code>pending</code></td><td>the event is recorded, in the same transaction as the change</td></tr>',
  )
  expect(Object.values(pages).filter((page) => page.includes('stateDiagram'))).toEqual([])
})

test('a page lists its headings, marks its place among the guides, and names its neighbors', () => {
  const { pages } = renderGuides(folder, '{menu}{contents}{neighbors}')
  const html = pages['guides/webhooks'] ?? ''
  expect(html).toContain('<a href="/docs/guides/webhooks" aria-current="page">Webhooks</a>')
  expect(html.match(/<h2>[^<]+<\/h2>/g)).toEqual(['<h2>Build</h2>', '<h2>Run</h2>', '<h2>Look up</h2>'])
  expect(html).toContain('<li class="level-2"><a href="#')
  expect([...html.matchAll(/rel="(\w+)" href="([^"]+)"/g)].map(([, kind, href]) => [kind, href])).toEqual([
    ['prev', '/docs/guides/build-an-app'],
    ['next', '/docs/guides/connect-an-agent'],
  ])
})

test('the words of code are marked', () => {
  const { pages } = renderGuides(folder, '{content}')
  expect(pages['guides/build-an-app']).toContain('<span class="code-keyword">const</span>')
  expect(pages['guides/build-an-app']).toContain('<span class="code-comment"># Create a track')
})

describe('the search', () => {
  const { pages, index } = renderGuides(folder, '{content}')
  const find = (query: string) => searchEntries(index, query).map(({ address }) => address)

  test('has every heading of every guide, at an address that exists', () => {
    for (const { address } of index) {
      const [path = '', id] = address.split('#')
      expect([address, pages[path.replace('/docs/', '')]?.includes(id === undefined ? '<h1' : ` id="${id}"`)]).toEqual([
        address,
        true,
      ])
    }
    expect(index.length).toBeGreaterThan(100)
  })

  test.each([
    ['a word of a heading before words of texts', 'webhooks', '/docs/guides/webhooks'],
    ['a status code', 'upload_offset_mismatch', '/docs/guides/status-codes#requests'],
    ['several words in any order and case', 'PRODUCTION run', '/docs/guides/run-in-production'],
  ])('finds %s', (_, query, address) => {
    expect(find(query)[0]).toBe(address as string)
  })

  test('wants every word, and finds nothing without one', () => {
    expect(find('webhooks zzz')).toEqual([])
    expect(find(' ')).toEqual([])
  })

  test('cuts an excerpt around the word, and marks it', () => {
    const text = `${'before '.repeat(30)}the needle ${'after '.repeat(30)}`
    expect(cutExcerpt(text, 'NEEDLE')).toMatch(/^… .{20,40}the needle .+ …$/)
    expect(splitMatches('a (needle) here', '(need')).toEqual(['a ', '(need', 'le) here'])
  })
})

describe('files that the pages show in the place of a link', () => {
  const { pages } = renderGuides(folder, '{content}')
  const links = names.flatMap((file) =>
    [...guide(file.replace('.md', '')).matchAll(/^\[.+\]\((.+)\)$/gm)].map(([, path = '']) => [file, path] as const),
  )
  test.each(links)('%s shows %s', (file, path) => {
    const text = readFileSync(join(folder, path), 'utf8').trim()
    const html = pages[`guides/${file.replace('.md', '')}`]
    const codes = [...(html ?? '').matchAll(/<code>([\s\S]*?)<\/code>/g)].map(([, code = '']) =>
      code.replace(/<[^>]+>/g, ''),
    )
    expect(codes).toContain(`${Bun.escapeHTML(text)}\n`)
  })

  test('are those of the proxies', () => {
    const insertedPaths = links.map(([, path]) => path.replace(/^.*deploy\//, ''))
    expect(insertedPaths).toEqual(expect.arrayContaining(['nginx/tonearm.conf', 'haproxy/haproxy.cfg', 'Caddyfile']))
  })
})

const written: [measure: keyof typeof limits, label: string][] = [
  ['tokens', 'tokens'],
  ['fields', 'fields, with fragments written out'],
  ['rootFields', 'fields under the root'],
  ['aliases', 'aliases'],
  ['directives', 'directives'],
  ['depth', 'depth'],
  ['breadth', 'fields in one selection set'],
  ['operations', 'operations in a document'],
]
test.each(written)('the limit of %s is in the guide', (measure, label) => {
  const text = guide('limits-and-cost').replaceAll(' *', '')
  expect(text).toContain(`| ${label} | ${limits[measure].toLocaleString('en')} |`)
})

test('the example of a cost has that cost', async () => {
  const [operation = ''] = blocks(guide('limits-and-cost'), 'graphql')
  const { extensions } = await service.graphql(operation)
  expect(extensions.cost.requested).toBe(1647)
  expect(guide('limits-and-cost')).toContain('= 1,647 points')
})

/** Every code block of a language, with its number in its guide. */
const examples = (language: string) =>
  names.flatMap((file) =>
    blocks(guide(file.replace('.md', '')), language).map((text, at) => [at + 1, file, text] as const),
  )

test.each(examples('graphql'))('operation %d of %s is valid', (_, __, operation) => {
  expect(validate(schema, parse(operation))).toEqual([])
})

test.each(examples('sh'))('shell command %d of %s can be read by a shell', (_, __, script) => {
  const plain = script.replace(/<\w+>/g, 'id')
  expect(Bun.spawnSync(['bash', '-n', '-c', plain]).exitCode).toBe(0)
})

test.each(names)('settings that %s names exist', (file) => {
  const example = readFileSync(join(root, '.env.example'), 'utf8')
  const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8')
  const text = guide(file.replace('.md', ''))
  const set = [...text.matchAll(/\b([A-Z][A-Z0-9]+_[A-Z0-9_]+)\b/g)].map((match) => match[1] ?? '')
  const others =
    /^((CAP_)?SYS_ADMIN|COMPOSE_PROFILES|API_KEY|UPLOAD_URL|WEBHOOK_SECRET|SIGNING_SECRET|TRACK_STATUS_CHANGED)$/
  const isKnown = (name: string) => example.includes(`${name}=`) || compose.includes(`\${${name}:`)
  expect(set.filter((name) => !others.test(name) && !isKnown(name))).toEqual([])
})

test('the settings of the proxy example are accepted', () => {
  const [settings = ''] = blocks(guide('run-in-production'), '')
    .filter((block) => block.startsWith('PUBLIC_URL'))
    .slice(0, 1)
  const env = Object.fromEntries(
    settings
      .trim()
      .split('\n')
      .map((line) => line.split('=')),
  )
  expect(loadConfig(env).trustedProxies).toBe(1)
})

describe('the rule for nginx', () => {
  const source = readFileSync(join(root, '.config/deploy/nginx/verify.js'), 'utf8')
  const secret = 'mysecrettoken'
  const path = '/a/b_hq.m4a'
  const now = Math.floor(Date.now() / 1000)
  const check = (address: string): string => {
    const body = source.replace(/^import .*$/m, '').replace('export default { verdict }', 'return verdict')
    const crypto = require('node:crypto')
    return new Function('crypto', 'process', body)(crypto, { env: { SIGNING_SECRET: secret } })({
      variables: { request_uri: address },
    })
  }
  const address = (issued: number, query = '') =>
    `${path}${query}${query ? '&' : '?'}verify=${signDelivery(secret, path + query, issued)}`

  test.each([
    ['a valid address', address(now), ''],
    ['a download', address(now, '?download=1'), ''],
    ['an expired address', address(now - 3700), '410'],
    ['an address from the future', address(now + 100), '403'],
    ['a changed path', address(now).replace('b_hq', 'c_hq'), '403'],
    ['a download that was not signed', address(now).replace('?', '?download=1&'), '403'],
    ['no signature', path, '403'],
  ])('gives the right verdict on %s', (_, url, verdict) => {
    expect(check(url)).toBe(verdict)
  })
})
