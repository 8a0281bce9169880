import { beforeAll, describe, expect, test } from 'bun:test'
import { restRoutes } from '../../src/roles/gateway/routes.ts'
import { useTestService } from '../support/service.ts'
import { everyViewer, viewerNames } from '../support/viewers.ts'
import { createFixtures, type Fixtures } from './operations.ts'
import { type Call, calls } from './rest-table.ts'

const service = useTestService()
let viewers: Awaited<ReturnType<typeof everyViewer>>
let fixtures: Fixtures

beforeAll(async () => {
  viewers = await everyViewer(service)
  fixtures = await createFixtures(service, viewers.holdings)
})

const letters: Record<number, string> = { 200: 'o', 401: 'u', 403: 'f', 404: 'n' }

async function tried({ method, path, query = '', id, body, beyond = [] }: Call, key: string | null): Promise<string> {
  const ids = [(await id?.(fixtures)) ?? ''].flat()
  const at = path.replace(/:\w+/g, () => ids.shift() ?? '') + query
  const answer = await service.request(method, at, { key, body: body?.(fixtures) })
  if (beyond.includes(answer.json?.code)) return 'o'
  return letters[answer.status] ?? `(${answer.status} ${answer.text})`
}

describe('every route of /v1 against every kind of viewer', () => {
  test.each(calls.map((call) => [`${call.method} ${call.path} ${call.way ?? ''}`.trim(), call] as const))(
    '%s',
    async (_, call) => {
      const differing: string[] = []
      for (const [place, name] of viewerNames.entries()) {
        const outcome = await tried(call, viewers.credentials[name])
        if (outcome !== call.may[place]) differing.push(`${name}: ${outcome} instead of ${call.may[place]}`)
      }
      expect(differing).toEqual([])
    },
  )
})

test('a route that a viewer may never use is refused without a look at its request', async () => {
  const differing: string[] = []
  // Whether it is a key of kind api, the body shows.
  for (const { method, path, may } of calls.filter(({ way }) => way !== 'an api key')) {
    for (const [place, name] of viewerNames.entries()) {
      if (may[place] !== 'f') continue
      const at = path.replace(/:\w+/g, 'not-an-id')
      const { status } = await service.request(method, at, {
        key: viewers.credentials[name],
        body: method === 'GET' ? undefined : '{',
      })
      if (status !== 403) differing.push(`${method} ${path}, ${name}: ${status}`)
    }
  }
  expect(differing).toEqual([])
})

test('no route is missing', () => {
  const knownRoutes = new Set(calls.map(({ method, path }) => `${method} ${path}`))
  expect(restRoutes.map(({ method, path }) => `${method} ${path}`).filter((route) => !knownRoutes.has(route))).toEqual(
    [],
  )
})

describe('credentials that end', () => {
  const dead: [name: string, kill: (id: string) => Promise<unknown>][] = [
    ['revoked', (id) => service.services.db.apiKey.update({ where: { id }, data: { revokedAt: new Date() } })],
    ['expired', (id) => service.services.db.apiKey.update({ where: { id }, data: { expiresAt: new Date(0) } })],
  ]
  test.each(dead)('a key that is %s is refused everywhere in the next request', async (_, kill) => {
    const { api_key: key, api_key_id: id } = (
      await service.v1('POST', '/api_key', { body: { title: 't', api_key_type_id: 'uploader' } })
    ).json
    const body = { collection_id: service.demo.collection_id }
    expect((await service.v1('POST', '/upload_session', { key, body })).status).toBe(200)
    await kill(id)
    for (const { method, path } of restRoutes.filter(({ auth }) => auth === 'key')) {
      expect((await service.request(method, path.replace(/:\w+/, crypto.randomUUID()), { key })).status).toBe(401)
    }
    expect(
      (await service.request('POST', '/graphql', { key, body: { query: '{ viewer { __typename } }' } })).status,
    ).toBe(401)
  })
})
