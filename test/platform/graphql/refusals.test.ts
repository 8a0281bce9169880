// Requests to /graphql that are not executed are answered in the form of GraphQL (contract, section 1).
import { describe, expect, test } from 'bun:test'
import { expectRefused } from '../../support/refused.ts'
import { toAnswer, useTestService } from '../../support/service.ts'

const service = useTestService()
const json = { 'content-type': 'application/json' }

const requests: [what: string, init: RequestInit, status: number, code: string][] = [
  ['an invalid key', { headers: { ...json, authorization: 'Bearer guess' }, body: '{}' }, 401, 'unauthenticated'],
  ['an invalid token', { headers: { ...json, authorization: 'Bearer a.b.c' }, body: '{}' }, 401, 'unauthenticated'],
  ['another scheme', { headers: { ...json, authorization: 'Basic eDp5' }, body: '{}' }, 401, 'unauthenticated'],
  ['PATCH', { method: 'PATCH', headers: json, body: '{}' }, 405, 'method_not_allowed'],
  ['GET with cookies', { method: 'GET', headers: { cookie: 'a=b' } }, 400, 'invalid_input'],
  ['PUT', { method: 'PUT', headers: json, body: '{}' }, 405, 'method_not_allowed'],
  ['DELETE', { method: 'DELETE' }, 405, 'method_not_allowed'],
  ['a body of 2 MiB', { headers: json, body: ' '.repeat(2 * 1024 * 1024) }, 413, 'too_large'],
  ['a form', { headers: { 'content-type': 'text/plain' }, body: '{}' }, 415, 'unsupported_media_type'],
  ['invalid UTF-8', { headers: json, body: new Uint8Array([0x7b, 0xff, 0x7d]) }, 400, 'invalid_input'],
]

describe('a request that is refused before it is executed', () => {
  test.each(requests)('%s', async (_, init, status, code) => {
    const url = `${service.services.config.publicUrl}/graphql?query={viewer{__typename}}`
    const answer = await toAnswer(await service.gateway(new Request(url, { method: 'POST', ...init })))
    expectRefused(answer, status, code)
    expect(answer.headers.get('allow')).toBe(status === 405 ? 'GET, POST' : null)
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
  })

  test('a body that is not JSON', async () => {
    const answer = await service.request('POST', '/graphql', { body: '{' })
    expect([answer.status, answer.json.errors[0].extensions.code]).toEqual([400, 'invalid_input'])
    expect(answer.json.errors[0].extensions.requestId).toBe(answer.headers.get('x-request-id'))
    expect(Object.keys(answer.json)).toEqual(['errors'])
  })
})
