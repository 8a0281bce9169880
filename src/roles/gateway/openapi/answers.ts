import { z } from 'zod'
import { type ErrorCode, statusOf } from '../../../platform/errors.ts'
import { id, text } from '../../../platform/schema/fields.ts'
import { inWords } from './failures.ts'

const requestId = id({ description: 'ID of the request in the log of the service. Also in `X-Request-Id`.' }).restShape

/** Fields of every successful answer (specification, section 2). */
export const envelope = (isRequestIdLeftOut = false) => ({
  ok: z.literal(true),
  ...(isRequestIdLeftOut ? {} : { apiRequestId: requestId }),
})

/** Contract, section 1, Errors. */
const errorFields = (codes: readonly ErrorCode[]) => ({
  ok: z.literal(false),
  message: text({ description: 'Readable message: the field and the violated rule.', example: 'title: is required' })
    .restShape,
  code: z.enum(codes).meta({ description: 'Stable code for programs.' }),
  apiRequestId: requestId,
})

const errorShape = (codes: readonly ErrorCode[]) => z.object(errorFields(codes))

/** RFC 9457. */
const problemShape = (codes: readonly ErrorCode[], status: number) =>
  z.object({
    type: z.literal('about:blank'),
    title: text({ description: 'The code as words.', example: 'invalid input' }).restShape,
    status: z.literal(status),
    detail: text({ description: 'The message.', example: 'title: is required' }).restShape,
    ...errorFields(codes),
  })

/** Headers of answers, as components of the document. */
export const headers = {
  'X-Request-Id': {
    description: 'ID of the request in the log of the service.',
    schema: { type: 'string', format: 'uuid' },
  },
  'RateLimit-Policy': {
    description: 'The applicable limit, if any: `q` requests in `w` seconds.',
    schema: { type: 'string', examples: ['"key";q=6000;w=60'] },
  },
  RateLimit: {
    description: 'The remaining limit: `r` requests in the next `t` seconds.',
    schema: { type: 'string', examples: ['"key";r=5999;t=60'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry.',
    schema: { type: 'integer', minimum: 1 },
  },
  'Idempotency-Replayed': {
    description: '`true` on the stored answer to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string', const: 'Bearer' } },
} as const

export type HeaderName = keyof typeof headers

export const headersNamed = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const retried: readonly ErrorCode[] = ['rate_limited', 'unavailable', 'idempotency_conflict']

/** Describes an error answer: one status and its possible codes. */
export function failure(codes: readonly ErrorCode[], write: (schema: z.ZodType) => object) {
  const status = statusOf[codes[0] as ErrorCode]
  return {
    description: inWords(codes),
    headers: headersNamed(
      'X-Request-Id',
      ...(codes.some((code) => retried.includes(code)) ? (['Retry-After'] as const) : []),
      ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
      ...(status === 429 ? (['RateLimit-Policy', 'RateLimit'] as const) : []),
    ),
    content: {
      'application/json': { schema: write(errorShape(codes)) },
      'application/problem+json': { schema: write(problemShape(codes, status)) },
    },
  }
}
