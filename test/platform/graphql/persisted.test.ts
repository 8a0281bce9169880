import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'graphql'
import { OperatorError } from '../../../src/config.ts'
import { readManifest } from '../../../src/platform/graphql/persisted.ts'
import { readPageOperations } from '../../../src/roles/gateway/web-page.ts'
import { VIEWER } from '../../../src/web/session/operations.ts'
import { startTestService } from '../../support/service.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const by = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } })
const listed = 'query Who { viewer { __typename } }'
const other = '{ __typename }'

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-manifest-'))
  file = join(folder, 'manifest.json')
  await Bun.write(file, JSON.stringify({ [sha256(listed)]: listed }))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function started(env: Record<string, string>) {
  const service = await startTestService(env)
  const send = async (body: object) => (await service.request('POST', '/graphql', { body })).json
  return { service, send, stop: service.stop }
}

describe('allow', () => {
  let running: Awaited<ReturnType<typeof started>>
  beforeAll(async () => {
    running = await started({ GRAPHQL_PERSISTED_FILE: file })
  })
  afterAll(() => running.stop())

  test('an operation by its hash: unknown, registered once with its text, known', async () => {
    const query = 'query Again($id: ID!) { track(id: $id) { id } }'
    const extensions = by(sha256(query))
    const variables = { id: '00000000-0000-4000-8000-000000000000' }
    const unknown = await running.send({ extensions, variables })
    expect(unknown.errors[0]).toMatchObject({
      message: 'PersistedQueryNotFound',
      extensions: { code: 'PERSISTED_QUERY_NOT_FOUND', requestId: expect.any(String) },
    })
    for (const body of [
      { query, extensions, variables },
      { extensions, variables },
    ]) {
      expect((await running.send(body)).errors[0].extensions.code).toBe('not_found')
    }
  })

  test('a text with a wrong hash is neither executed nor registered', async () => {
    const extensions = by(sha256('{ viewer { __typename } }'))
    const wrong = await running.send({ query: other, extensions })
    expect(wrong.data).toBeUndefined()
    expect(wrong.errors[0].extensions.code).toBe('PERSISTED_QUERY_MISMATCH')
    expect((await running.send({ extensions })).errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_FOUND')
  })

  test.each([
    { extensions: by(sha256(listed)) },
    { documentId: sha256(listed) },
    { documentId: `sha256:${sha256(listed)}` },
  ])('an operation of the manifest is known from the start: %j', async (body) => {
    expect((await running.send(body)).data).toEqual({ viewer: { __typename: 'KeyViewer' } })
  })

  test('limits apply to them too', async () => {
    const query = `{ ${Array(31).fill('__typename').join(' ')} }`
    const answer = await running.send({ query, extensions: by(sha256(query)) })
    expect(answer.errors[0].message).toContain('root field limit of 30')
    expect((await running.send({ extensions: by(sha256(query)) })).errors[0].message).toContain('root field limit')
  })

  test('other texts are executed as usual', async () => {
    expect((await running.send({ query: other })).data).toEqual({ __typename: 'Query' })
  })
})

describe('only', () => {
  let running: Awaited<ReturnType<typeof started>>
  beforeAll(async () => {
    running = await started({ GRAPHQL_PERSISTED: 'only', GRAPHQL_PERSISTED_FILE: file })
  })
  afterAll(() => running.stop())

  test.each([
    ['hash', { extensions: by(sha256(listed)) }],
    ['text', { query: listed }],
  ])('an operation of the manifest is executed by its %s', async (_, body) => {
    expect((await running.send(body)).data).toEqual({ viewer: { __typename: 'KeyViewer' } })
  })

  test.each([
    ['another text', { query: other }],
    ['another text with its hash', { query: other, extensions: by(sha256(other)) }],
    ['another text with a hash of the manifest', { query: other, extensions: by(sha256(listed)) }],
    ['an unknown hash', { extensions: by(sha256(other)) }],
    ['introspection', { query: '{ __schema { queryType { name } } }' }],
    ['nothing', {}],
    ['a text that is none', { query: 5 }],
  ])('%s is forbidden', async (_, body) => {
    const answer = await running.send(body)
    expect(answer.data).toBeUndefined()
    expect(answer.errors[0].extensions.code).toBe('forbidden')
  })

  test('an operation of the pages is executed', async () => {
    expect((await running.send({ query: VIEWER })).data).toMatchObject({ viewer: { __typename: 'KeyViewer' } })
    expect(readPageOperations().map((text) => parse(text).definitions.length > 0)).not.toContain(false)
    expect(readPageOperations().length).toBeGreaterThan(50)
  })

  test('GraphiQL is disabled', async () => {
    const page = await running.service.request('GET', '/graphql', { key: null, headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  })
})

test('off: clients get PersistedQueryNotSupported', async () => {
  const running = await started({ GRAPHQL_PERSISTED: 'off' })
  const extensions = by(sha256(other))
  expect((await running.send({ extensions })).errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_SUPPORTED')
  expect((await running.send({ query: other, extensions })).data).toEqual({ __typename: 'Query' })
  await running.stop()
})

describe('the manifest', () => {
  test("reads Apollo's format", async () => {
    const path = join(folder, 'apollo.json')
    const operations = [{ id: 'abc', name: 'Who', type: 'query', body: listed }]
    await Bun.write(path, JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations }))
    expect(readManifest(path)).toEqual(new Map([['abc', listed]]))
  })

  test.each(['', '[]', '{"a": 1}', '{"format": "apollo-persisted-query-manifest"'])(
    '%j stops the start',
    async (text) => {
      const path = join(folder, 'broken.json')
      await Bun.write(path, text)
      expect(() => readManifest(path)).toThrow(OperatorError)
      expect(() => readManifest(path)).toThrow(/^GRAPHQL_PERSISTED_FILE: /)
    },
  )

  test('a missing file stops the start', () => {
    expect(() => readManifest(join(folder, 'missing.json'))).toThrow(OperatorError)
  })
})
