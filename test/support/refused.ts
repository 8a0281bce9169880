import { expect } from 'bun:test'
import type { Answer } from './service.ts'

/** Expects an answer of /graphql to a request that was not executed: the form of GraphQL, not the envelope of /v1. */
export function expectRefused({ status, headers, json, request }: Answer, expected: number, code: string): void {
  expect({ status, json }, request).toEqual({
    status: expected,
    json: { errors: [{ message: expect.any(String), extensions: expect.objectContaining({ code }) }] },
  })
  const { message, extensions } = json.errors[0]
  expect([message.length > 0, extensions.requestId]).toEqual([true, headers.get('x-request-id')])
  expect(extensions.retryAfterSeconds).toBe(headers.has('retry-after') ? Number(headers.get('retry-after')) : undefined)
  expect(headers.get('content-type')).toBe('application/json')
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-expose-headers')).toContain('X-Request-Id')
}
