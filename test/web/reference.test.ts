// The pages of the reference have what the OpenAPI document has.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Kind, type OperationDefinitionNode, parse, validate } from 'graphql'
import { renderReference } from '../../.config/reference.ts'
import { composeDocument, exampleAddresses } from '../../src/roles/gateway/openapi/document.ts'
import { schema } from '../../src/roles/gateway/schema.ts'

const folder = join(import.meta.dir, '../../src/web/docs')
const equals = parse(readFileSync(join(folder, 'equal-operations.graphql'), 'utf8'))
const api = JSON.parse(JSON.stringify(composeDocument(exampleAddresses)))
const { pages, index } = renderReference(api, '<nav>{menu}</nav>{content}', equals)
const methods = ['get', 'put', 'post', 'delete', 'head', 'patch']
const operations: { operationId: string; tags: string[]; responses?: object }[] = [
  ...Object.values<Record<string, { operationId: string; tags: string[] }>>(api.paths),
  ...Object.values<Record<string, { operationId: string; tags: string[] }>>(api.webhooks),
].flatMap((item) => methods.flatMap((method) => item[method] ?? []))
const pageFor = (tag = '') => pages[`reference/${tag.toLowerCase()}`] ?? ''
/** The part of a page with an operation. */
const sectionFor = (tag: string, operationId: string) =>
  pageFor(tag)
    .split('<section ')
    .find((part) => part.includes(`id="${operationId}"`)) ?? ''
const readCode = (html: string) =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')

test('each operation and webhook is on the page of its tag, in every menu and in the search', () => {
  expect(operations.length).toBeGreaterThan(50)
  for (const { operationId, tags } of operations) {
    const address = `/docs/reference/${tags[0]?.toLowerCase()}#${operationId}`
    expect([operationId, sectionFor(tags[0] ?? '', operationId) !== '']).toEqual([operationId, true])
    for (const html of Object.values(pages)) expect(html).toContain(`<a href="${address}"`)
    expect(index.map((entry) => entry.address)).toContain(address)
  }
})

test('an id is on a page once', () => {
  for (const html of Object.values(pages)) {
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids.length).toBe(new Set(ids).size)
  }
})

test('an operation shows its parameters, fields, codes and examples', () => {
  const html = sectionFor('Tracks', 'updateTrack')
  for (const part of ['<code>track_id</code>', '<code>player_title</code>', '<code>invalid_input</code>'])
    expect(html).toContain(part)
  expect(html).toContain('<a href="/docs/guides/status-codes#not_found"><code>not_found</code></a>')
  const languages = [...html.matchAll(/data-language="(\w+)"/g)].map(([, name]) => name)
  expect(languages).toEqual(['curl', 'TypeScript', 'GraphQL'])
  expect(html).toContain('<span class="fill" data-fill="key">YOUR_KEY</span>')
  expect(html).toContain('<span class="fill" data-fill="track_id">TRACK_ID</span>')
  expect(Object.values(pages).filter((page) => /FILL_|undefined|\[object/.test(page))).toEqual([])
})

test('examples of curl can be read by a shell', () => {
  const scripts = Object.values(pages).flatMap((html) =>
    [...html.matchAll(/data-language="curl">.*?<code>([\s\S]*?)<\/code>/g)].map(([, code = '']) => readCode(code)),
  )
  expect(scripts.length).toBeGreaterThan(40)
  expect(Bun.spawnSync(['bash', '-n', '-c', scripts.join('\n')]).exitCode).toBe(0)
})

test('a webhook and an address of the edge have no form, and an operation of /v1 has one', () => {
  const form = (tag: string, id: string) => sectionFor(tag, id).includes('data-operation="null"')
  expect([form('Events', 'onTrackStatusChanged'), form('Uploads', 'uploadTrack'), form('Tracks', 'getTrack')]).toEqual([
    true,
    true,
    false,
  ])
})

describe('the equal operations of GraphQL', () => {
  const definitions = equals.definitions.filter(
    (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION,
  )
  test.each(definitions.map((one) => [one.name?.value ?? '', one] as const))(
    '%s is valid, and is in /v1',
    (name, one) => {
      expect(validate(schema, { kind: Kind.DOCUMENT, definitions: [one] })).toEqual([])
      expect(operations.map(({ operationId }) => operationId)).toContain(name)
    },
  )
})
