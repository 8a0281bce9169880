import { expect, test } from 'bun:test'
import { connect, readData } from '../../../src/client/rest.ts'

interface Sent {
  method: string
  body: string
  idempotencyKey: string | null
}

/** A connection to a service that gives these answers, one after the other; an error is a broken connection. */
function answering(answers: (Response | Error)[], apiKey?: string) {
  const sent: Sent[] = []
  const rest = connect({
    baseUrl: 'https://audio.example.com/',
    apiKey,
    fetch: async (request) => {
      const { method, headers } = request
      sent.push({ method, body: await request.text(), idempotencyKey: headers.get('idempotency-key') })
      const answer = answers.shift()
      if (!(answer instanceof Response)) throw answer
      return answer
    },
  })
  return { rest, sent }
}

const unavailable = (status: number) =>
  Response.json({ ok: false, code: 'unavailable', message: 'not now' }, { status, headers: { 'retry-after': '0' } })
const created = () => Response.json({ ok: true, collection_id: '1' })
const create = { body: { title: 'An album' } }

test.each([429, 502, 503, 504])('repeats a POST after %d with the same key and body', async (status) => {
  const { rest, sent } = answering([unavailable(status), created()], 'key')
  expect(readData(await rest.POST('/v1/collection', create)).collection_id).toBe('1')
  expect(sent).toHaveLength(2)
  expect(sent[0]?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/)
  expect(sent[1]).toEqual(sent[0] as Sent)
})

test('sends a POST on a page of plain http, where browsers have no crypto.randomUUID', async () => {
  const { randomUUID } = crypto
  Object.assign(crypto, { randomUUID: undefined })
  try {
    const { rest, sent } = answering([created(), created()], 'key')
    expect(readData(await rest.POST('/v1/collection', create)).collection_id).toBe('1')
    await rest.POST('/v1/collection', create)
    expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2)
  } finally {
    Object.assign(crypto, { randomUUID })
  }
})

test('repeats a request whose connection breaks', async () => {
  const { rest, sent } = answering([new TypeError('broken'), created()], 'key')
  expect(readData(await rest.POST('/v1/collection', create)).collection_id).toBe('1')
  expect(sent).toHaveLength(2)
})

test('gives up after three repeats', async () => {
  const { rest, sent } = answering([503, 503, 503, 503, 200].map(unavailable), 'key')
  const answer = await rest.GET('/v1/collection')
  expect(() => readData(answer)).toThrow(
    expect.objectContaining({ status: 503, code: 'unavailable', message: 'not now' }),
  )
  expect(sent).toHaveLength(4)
})

test('does not repeat a POST without an API key, which has no Idempotency-Key', async () => {
  const { rest, sent } = answering([unavailable(503), created()])
  const path = { upload_session_id: '1' }
  const answer = await rest.POST('/v1/upload/{upload_session_id}/track', { params: { path }, body: { file_name: 'a' } })
  expect(answer.response.status).toBe(503)
  expect(sent).toEqual([{ method: 'POST', body: '{"file_name":"a"}', idempotencyKey: null }])
})

test('repeats any POST at the rate limit, which is checked before it has an effect', async () => {
  const { rest, sent } = answering([unavailable(429), Response.json({ ok: true, track_id: '1' })])
  const params = { path: { upload_session_id: '1' } }
  const answer = await rest.POST('/v1/upload/{upload_session_id}/track', { params, body: { file_name: 'a' } })
  expect(readData(answer).track_id).toBe('1')
  expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual([null, null])
})

test('does not repeat a refusal', async () => {
  const { rest, sent } = answering([Response.json({ code: 'invalid_input' }, { status: 400 })], 'key')
  expect((await rest.POST('/v1/collection', create)).error).toMatchObject({ code: 'invalid_input' })
  expect(sent).toHaveLength(1)
})

test('ends the wait for a repeat with the reason of the signal', async () => {
  const stop = new AbortController()
  const { rest } = answering([new TypeError('broken'), created()], 'key')
  const request = rest.POST('/v1/collection', { ...create, signal: stop.signal })
  stop.abort(new Error('stopped'))
  await expect(request).rejects.toThrow('stopped')
})
