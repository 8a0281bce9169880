import { beforeAll, describe, expect, test } from 'bun:test'
import { type Answer, type Json, useTestService } from '../support/service.ts'
import { ask, bodyFor, type Endpoint, endpoints, fill, methodsByPath, recordEndpoints } from './endpoints.ts'
import {
  createCollection,
  createCreator,
  createForeign,
  createSession,
  createTrack,
  ok,
  refused,
  TIMESTAMP,
  UNKNOWN_ID,
  UUID,
  unique,
} from './support.ts'

const service = useTestService()
let foreign: Awaited<ReturnType<typeof createForeign>>
beforeAll(async () => {
  foreign = await createForeign(service)
})

const foreignIds = () => ({
  creator_id: foreign.creatorId,
  collection_id: foreign.collectionId,
  track_id: foreign.trackId,
  variant_id: foreign.variantId,
  organization_id: foreign.organizationId,
})

describe('2 Response envelope', () => {
  test('2 Response envelope | ok | boolean | true on success, false on error', async () => {
    const body = { organization_index: unique() }
    const successes = [await service.v1('GET', '/creator'), await service.v1('POST', '/creator', { body })]
    for (const { status, json, request } of successes) expect([status, json.ok], request).toEqual([200, true])
    const errors = [await service.v1('GET', '/creator/x'), await service.v1('POST', '/creator', { body })]
    for (const { status, json, request } of errors) expect([status >= 400, json.ok], request).toEqual([true, false])
  })

  test('2 Response envelope | api_request_id | uuid | Present on all JSON responses', async () => {
    const ids = new Set<string>()
    const sent = endpoints.filter(([, path]) => !path.includes('upload_session') && !path.startsWith('/stream'))
    for (const endpoint of sent) {
      const { json } = await ask(service, endpoint)
      expect(json.api_request_id).toMatch(UUID)
      ids.add(json.api_request_id)
    }
    expect(ids.size).toBe(sent.length)
  })

  test('7 Error body shape: `ok` = false, `message` (string), `api_request_id` (uuid)', async () => {
    const json = refused(await service.v1('GET', `/creator/${UNKNOWN_ID}`), 404, 'not_found')
    // `code` is our addition (contract, section 1).
    expect(Object.keys(json).sort()).toEqual(['api_request_id', 'code', 'message', 'ok'])
  })
})

describe('contract 1: X-Request-Id on every answer', () => {
  const paths: [name: string, method: string, path: string][] = [
    ['a success', 'GET', '/creator'],
    ['an error', 'GET', '/creator/x'],
    ['a path that is not there', 'GET', '/nothing'],
    ['a wrong method', 'PATCH', '/creator'],
    ['a refused stream', 'GET', `/stream/${UNKNOWN_ID}/x`],
    ['a preflight', 'OPTIONS', '/creator'],
  ]
  test.each(paths)('%s', async (_, method, path) => {
    const answer = await service.v1(method, path)
    expect(answer.headers.get('x-request-id')).toMatch(UUID)
    if (answer.json) expect(answer.json.api_request_id).toBe(answer.headers.get('x-request-id'))
  })
})

describe('contract 1: timestamps are ISO 8601, UTC, milliseconds, `Z`', () => {
  test('wherever a field ends in _at', async () => {
    const [creator, collection, track] = [
      await createCreator(service),
      await createCollection(service),
      await createTrack(service),
    ]
    const session = await createSession(service, { track: { file_name: 'a' } })
    const cover = ok(await service.v1('POST', `/collection/${collection.id}/cover`))
    const seen: string[] = []
    const walk = (value: Json): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, item] of Object.entries(value)) {
        if (key.endsWith('_at') && item !== null) seen.push(item as string)
        walk(item)
      }
    }
    walk([creator, collection, track, session, cover])
    expect(seen.length).toBeGreaterThanOrEqual(11)
    for (const value of seen) expect(value).toMatch(TIMESTAMP)
  })
})

describe('contract 1: 405 `method_not_allowed` with `Allow`', () => {
  test.each(methodsByPath)('%s takes %p only', async (path, methods) => {
    const wrong = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].filter((method) => !methods.includes(method))
    expect(wrong).not.toBeEmpty()
    for (const method of wrong) {
      const answer = await service.v1(method, fill(path))
      refused(answer, 405, 'method_not_allowed')
      expect(answer.headers.get('allow')?.split(', ').sort(), method).toEqual(methods)
    }
  })
})

describe('contract 1: 404 for a wrong path, in the error envelope', () => {
  test.each(['/', '', '/nothing', '/creators', '/creator/a/b', '/stream', '/upload/x', '/Creator'])(
    '/v1%s',
    async (path) => {
      for (const method of ['GET', 'POST', 'PATCH']) refused(await service.v1(method, path), 404, 'not_found')
    },
  )

  test('9 every endpoint lives under `/v1`', async () => {
    refused(await service.request('GET', '/creator'), 404, 'not_found')
    refused(await service.request('GET', '/v2/creator'), 404, 'not_found')
  })
})

test('no answer is stored by a cache, and none is read as another type', async () => {
  const answers = [
    await service.v1('GET', '/creator'),
    await service.v1('GET', '/creator', { key: null }),
    await service.v1('GET', '/nothing'),
    await service.request('POST', '/graphql', { body: { query: '{ version }' } }),
    await service.request('POST', '/graphql', { body: { query: '{' } }),
  ]
  const headersOf = ({ headers }: Answer) => [headers.get('cache-control'), headers.get('x-content-type-options')]
  expect(answers.map(headersOf)).toEqual(Array(5).fill(['no-store', 'nosniff']))
})

describe('HEAD is GET without the body', () => {
  test.each(['/creator', '/creator/x', '/nothing', `/stream/${UNKNOWN_ID}/x`, '/upload_session'])(
    '%s',
    async (path) => {
      const [head, get] = [await service.v1('HEAD', path), await service.v1('GET', path)]
      expect([head.status, head.text]).toEqual([get.status, ''])
      expect(head.headers.get('content-length')).toBe(String(get.text.length))
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
    },
  )
})

describe('contract 1: CORS', () => {
  const requestHeaders = 'authorization,content-type,traceparent,apollographql-client-name,x-of-my-own'

  test.each(methodsByPath)('%s answers preflight (%p)', async (path, methods) => {
    const headers = {
      origin: 'https://example.com',
      'access-control-request-method': methods[0] ?? '',
      'access-control-request-headers': requestHeaders,
    }
    const answer = await service.v1('OPTIONS', fill(path), { key: null, headers })
    expect([200, 204]).toContain(answer.status)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
    const allowed = answer.headers.get('access-control-allow-methods')?.split(/, */) ?? []
    for (const method of methods) expect(allowed).toContain(method)
    expect(answer.headers.get('access-control-allow-headers')).toBe(requestHeaders)
  })

  test.each([...endpoints, ['GET', '/nothing', 'key'], ['PATCH', '/creator', 'key']] as typeof endpoints)(
    '%s %s sends `Access-Control-Allow-Origin: *`, whatever it answers',
    async (method, path, auth) => {
      const withKey = await ask(service, [method, path, auth])
      const withoutKey = await service.v1(method, fill(path), { key: null })
      const shared = ({ headers }: Answer) => [
        headers.get('access-control-allow-origin'),
        headers.has('access-control-allow-credentials'),
      ]
      const expected = ['*', false]
      expect({ withKey: shared(withKey), withoutKey: shared(withoutKey) }).toEqual({
        withKey: expected,
        withoutKey: expected,
      })
    },
  )
})

describe('5 Authentication', () => {
  const authenticated = endpoints.filter(([, , auth]) => auth === 'key')
  const open = endpoints.filter(([, , auth]) => auth === 'none')

  test.each(authenticated)(
    '5.1 Authenticated endpoints take the header `Authorization`: %s %s',
    async (method, path) => {
      const answer = await service.v1(method, fill(path), { key: null, body: bodyFor(method, path) })
      refused(answer, 401, 'unauthenticated')
      expect(answer.headers.get('www-authenticate')).toStartWith('Bearer')
    },
  )

  test.each(open)('5.2 and 5.3 Unauthenticated: %s %s', async (method, path) => {
    expect((await service.v1(method, fill(path), { key: null, body: bodyFor(method, path) })).status).toBe(404)
  })
})

describe('contract 1: 404 for an unknown id, or one of another organization: indistinguishable', () => {
  test.each(recordEndpoints)('%s %s', async (method, path, auth) => {
    const endpoint: Endpoint = [method, path, auth]
    const answers = [await ask(service, endpoint), await ask(service, endpoint, foreignIds())]
    const [unknown, theirs] = answers.map((answer) => {
      const { api_request_id, ...rest } = refused(answer, 404, 'not_found')
      return rest
    })
    expect(theirs).toEqual(unknown)
  })

  test('nothing of a foreign organization was changed', async () => {
    for (const endpoint of recordEndpoints) await ask(service, endpoint, foreignIds())
    const { key } = foreign
    for (const path of ['creator', 'collection', 'track', 'variant', 'organization']) {
      ok(await service.v1('GET', fill(`/${path}/:${path}_id`, foreignIds()), { key }))
    }
  })

  test.each(recordEndpoints)('a path id that is no UUID is 400: %s %s', async (method, path, auth) => {
    const name = /:(\w+)/.exec(path)?.[1] ?? ''
    for (const id of ['x', '1', `${UNKNOWN_ID}0`, `{${UNKNOWN_ID}}`, '%00']) {
      refused(await ask(service, [method, path, auth], { [name]: id }), 400, 'invalid_input', name)
    }
  })

  test.each([
    ['collection', createCollection],
    ['creator', createCreator],
    ['track', createTrack],
  ] as const)('a deleted record is 404: %s', async (name, create) => {
    const { id } = await create(service)
    ok(await service.v1('DELETE', `/${name}/${id}`))
    for (const endpoint of recordEndpoints.filter(([, path]) => path.startsWith(`/${name}/`))) {
      refused(await ask(service, endpoint, { [`${name}_id`]: id }), 404, 'not_found')
    }
  })

  const references: [path: string, field: string, body: () => object][] = [
    ['/collection', 'creator_id', () => ({ title: 'T', creator_id: foreign.creatorId })],
    ['/track', 'collection_id', () => ({ file_name: 'a', collection_id: foreign.collectionId })],
    [
      '/track',
      'creator_id',
      () => ({ file_name: 'a', collection_id: service.demo.collection_id, creator_id: foreign.creatorId }),
    ],
    ['/upload_session', 'collection_id', () => ({ collection_id: foreign.collectionId })],
    [
      '/upload_session',
      'creator_id',
      () => ({ collection_id: service.demo.collection_id, creator_id: foreign.creatorId }),
    ],
  ]
  test.each(references)('references in a body: POST %s, %s; the message names the field', async (path, field, body) => {
    refused(await service.v1('POST', path, { body: body() }), 404, 'not_found', field)
    const unknown = { ...body(), [field]: UNKNOWN_ID }
    refused(await service.v1('POST', path, { body: unknown }), 404, 'not_found', field)
  })
})
