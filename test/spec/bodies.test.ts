// Valid request bodies, and the form of errors (contract, section 1).
import { describe, expect, test } from 'bun:test'
import { startTestService, useTestService } from '../support/service.ts'
import { createCollection, createCreator, ok, rawRequest, refused, UNKNOWN_ID, unique } from './support.ts'

const service = useTestService()

const MIB = 1 << 20
const creators = () => service.services.db.creator.count()
const post = (body: BodyInit | undefined, type: string | null = 'application/json') =>
  rawRequest(service, '/v1/creator', {
    method: 'POST',
    body: typeof body === 'string' && type === null ? new Blob([body]) : body,
    headers: type === null ? {} : { 'content-type': type },
  })
const good = () => JSON.stringify({ organization_index: unique() })

describe('contract 1: 400 `invalid_input`', () => {
  const broken = ['{', '{"a":1,}', "{'a':1}", 'null', '[]', '"text"', '1', 'true', '{"a":NaN}', 'undefined', '\ufeff{']
  test.each(broken)('malformed JSON, or none that is an object: %j', async (body) => {
    const before = await creators()
    refused(await post(body), 400, 'invalid_input', 'body')
    expect(await creators()).toBe(before)
  })

  test('bytes that are no UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('{"organization_index":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
    refused(await post(new Uint8Array(bytes)), 400, 'invalid_input')
  })

  test('an absent body is an empty object: the missing field is named', async () => {
    refused(await post(undefined, null), 400, 'invalid_input', 'organization_index')
    refused(await post('  '), 400, 'invalid_input', 'organization_index')
  })

  test.each([33, 1000, 100_000])('nesting %d deep', async (depth) => {
    const nested = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    const lists = '['.repeat(depth) + ']'.repeat(depth)
    for (const value of [nested, lists, `{"a":${lists}}`]) {
      const body = `{"organization_index":"${unique()}","metadata":${value}}`
      refused(await post(body), 400, 'invalid_input')
    }
  })

  test('metadata has at most 32 levels, in REST and in GraphQL, as a variable and as a literal', async () => {
    const levels = (depth: number) => `${'{a:'.repeat(depth)}1${'}'.repeat(depth)}`
    const [deepest, deeper] = [32, 33].map((depth) => ({
      literal: levels(depth),
      value: JSON.parse(levels(depth).replaceAll('a', '"a"')),
    }))
    const mutation = (literal: string) =>
      `mutation ($index: String!) { createCreator(input: {organizationIndex: $index, metadata: ${literal}}) { creator { metadata } } }`
    const variable = `mutation ($index: String!, $metadata: JSON) {
      createCreator(input: {organizationIndex: $index, metadata: $metadata}) { creator { metadata } } }`
    const ways: ((sample: typeof deepest) => Promise<{ metadata?: unknown; message?: string }>)[] = [
      async (sample) => {
        const body = { organization_index: unique(), metadata: sample?.value }
        const { json } = await service.v1('POST', '/creator', { body })
        return { metadata: json.creator?.metadata, message: json.message }
      },
      async (sample) => {
        const { data, errors } = await service.graphql(mutation(sample?.literal ?? ''), { index: unique() })
        return { metadata: data?.createCreator.creator.metadata, message: errors?.[0].message }
      },
      async (sample) => {
        const { data, errors } = await service.graphql(variable, { index: unique(), metadata: sample?.value })
        return { metadata: data?.createCreator.creator.metadata, message: errors?.[0].message }
      },
    ]
    for (const send of ways) {
      expect(await send(deepest)).toMatchObject({ metadata: deepest?.value })
      expect((await send(deeper)).message).toContain('metadata: must be at most 32 levels deep')
    }
  })

  test.each([
    ['a', 1],
    ['é', 2],
    ['語', 3],
    ['😀', 4],
  ])('metadata has at most 65,536 bytes of JSON in UTF-8, with %s of %d bytes', async (letter, bytes) => {
    // The braces, the key and the quotes have 8 bytes.
    const metadataOf = (size: number) => ({ a: letter.repeat(Math.floor((size - 8) / bytes)) })
    const send = (metadata: object) =>
      service.v1('POST', '/creator', { body: { organization_index: unique(), metadata } })
    const largest = metadataOf(65_536)
    expect(ok(await send(largest)).creator.metadata).toEqual(largest)
    const { message } = refused(await send(metadataOf(65_536 + bytes)), 400, 'invalid_input')
    expect(message).toBe('metadata: must be at most 65536 bytes of JSON')
  })

  test('nesting that some client may need', async () => {
    const metadata = JSON.parse(`${'{"a":'.repeat(16)}1${'}'.repeat(16)}`)
    expect((await createCreator(service, { metadata })).metadata).toEqual(metadata)
  })

  test.each(['a\u0000b', '\ud800'])('text that cannot be stored: %j', async (organization_index) => {
    refused(await service.v1('POST', '/creator', { body: { organization_index } }), 400, 'invalid_input')
    const body = { organization_index: unique(), metadata: { a: [organization_index] } }
    refused(await service.v1('POST', '/creator', { body }), 400, 'invalid_input', 'metadata')
    const inKey = { organization_index: unique(), metadata: { [organization_index]: 1 } }
    refused(await service.v1('POST', '/creator', { body: inKey }), 400, 'invalid_input', 'metadata')
  })

  test.each(['C:\\udata', '\\u0000', '\\\\ud800'])(
    'text that only looks like an escape can be stored: %s',
    async (text) => {
      const metadata = { [text]: text }
      expect((await createCreator(service, { metadata, organization_index: text })).metadata).toEqual(metadata)
    },
  )

  test('every broken rule is named with its field', async () => {
    const { message } = refused(
      await service.v1('POST', '/collection', { body: { player_color: 'red', metadata: 1 } }),
      400,
      'invalid_input',
    )
    expect(['title', 'player_color', 'metadata'].filter((field) => !message.includes(`${field}:`))).toEqual([])
  })
})

describe('contract 1: 415 `unsupported_media_type`', () => {
  const wrong = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonx', 'json']
  test.each(wrong)('%s', async (type) => {
    refused(await post(good(), type), 415, 'unsupported_media_type')
  })

  test('no Content-Type', async () => {
    refused(await post(good(), null), 415, 'unsupported_media_type')
  })

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8'])(
    '4 JSON bodies are sent with `Content-Type: application/json` (%s)',
    async (type) => {
      ok(await post(good(), type))
    },
  )
})

describe('contract 1: 413 `too_large`', () => {
  const large = () => JSON.stringify({ organization_index: unique(), ignored: 'x'.repeat(MIB) })

  test('a body beyond the limit', async () => {
    const before = await creators()
    refused(await post(large()), 413, 'too_large')
    expect(await creators()).toBe(before)
  })

  test('a chunked body without an announced length', async () => {
    const bytes = Buffer.from(large())
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.close()
        controller.enqueue(new Uint8Array(bytes.subarray(at, at + 65_536)))
        at += 65_536
      },
    })
    refused(await post(body), 413, 'too_large')
  })

  test('a body below the limit', async () => {
    ok(await post(JSON.stringify({ organization_index: unique(), ignored: 'x'.repeat(MIB / 2) })))
  })
})

describe('contract 1: content type of errors', () => {
  const refusal = (accept: string, path = `/creator/${UNKNOWN_ID}`, key?: null) =>
    service.v1('GET', path, { key, headers: { accept } })

  test.each(['application/json', '*/*', 'text/html', 'application/xml, application/json;q=0.9'])(
    '`application/json` for Accept: %s',
    async (accept) => {
      const answer = await refusal(accept)
      expect(answer.headers.get('content-type')?.split(';')[0]).toBe('application/json')
      expect(answer.json).not.toHaveProperty('type')
    },
  )

  test.each([
    'application/problem+json',
    'application/problem+json, application/json;q=0.9',
    'application/json, application/problem+json; q=0.1',
    'text/html, Application/Problem+JSON',
  ])('`application/problem+json` (RFC 9457) only when the client asks for it: %s', async (accept) => {
    const answers = [
      [await refusal(accept), 404],
      [await refusal(accept, '/creator/x'), 400],
      [await refusal(accept, '/creator', null), 401],
      [await refusal(accept, '/nothing'), 404],
      [await refusal(accept, '/api_key'), 405],
    ] as const
    for (const [{ status, headers, json, request }, expected] of answers) {
      expect(status, request).toBe(expected)
      expect(headers.get('content-type')?.split(';')[0], request).toBe('application/problem+json')
      expect(json.status, request).toBe(expected)
      for (const member of ['type', 'title', 'detail']) expect(json[member], `${request}: ${member}`).toBeString()
      expect(json.api_request_id, request).toBe(headers.get('x-request-id'))
    }
  })

  test('a success stays `application/json`', async () => {
    const answer = await refusal('application/problem+json', '/creator')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')?.split(';')[0]).toBe('application/json')
  })
})

describe('contract 1: fields', () => {
  test('unknown body fields are ignored', async () => {
    const creator = await createCreator(service, { name: 'N', nested: { a: [1] }, constructor: 1 })
    expect(creator).not.toHaveProperty('name')
    const body = { unknown: 1, organization_index: creator.organization_index }
    expect(ok(await service.v1('PUT', `/creator/${creator.id}`, { body })).creator).not.toHaveProperty('unknown')
  })

  test('snake_case in every request: a name in camelCase is an unknown field', async () => {
    const body = { organizationIndex: unique() }
    refused(await service.v1('POST', '/creator', { body }), 400, 'invalid_input', 'organization_index')
    const creator = await createCreator(service)
    const changed = ok(await service.v1('PUT', `/creator/${creator.id}`, { body })).creator
    expect(changed.organization_index).toBe(creator.organization_index)
  })

  test('read-only fields in a PUT are ignored, never stored', async () => {
    const creator = await createCreator(service)
    const changes = {
      id: UNKNOWN_ID,
      folder_id: UNKNOWN_ID,
      organization_id: UNKNOWN_ID,
      created_at: '2001-01-01T00:00:00Z',
    }
    const { updated_at: _, ...changed } = ok(
      await service.v1('PUT', `/creator/${creator.id}`, { body: changes }),
    ).creator
    const { updated_at: __, ...before } = creator
    expect(changed).toEqual(before)
  })

  test('`null` clears a nullable field; any other it does not', async () => {
    const nullable = { organization_index: 'i', player_color: '#ffffff', player_subtitle: 's' }
    const { id } = await createCollection(service, nullable)
    for (const field of Object.keys(nullable)) {
      const answer = await service.v1('PUT', `/collection/${id}`, { body: { [field]: null } })
      expect(ok(answer).collection[field], field).toBeNull()
    }
    for (const field of ['title', 'is_cover_overridable', 'is_theme_overridable']) {
      refused(await service.v1('PUT', `/collection/${id}`, { body: { [field]: null } }), 400, 'invalid_input', field)
    }
  })

  test('metadata belongs to the client: names that mean something to a program stay', async () => {
    const metadata = { constructor: 1, toString: 2, organization_index: { B_c: { metadata: 1 } }, folderId: null }
    expect((await createCreator(service, { metadata })).metadata).toEqual(metadata)
  })
})

describe('contract 1: 500 / 503', () => {
  test('500 `internal`: never a stack or an SQL text', async () => {
    service.clock.now = new Date(Number.NaN)
    const body = { collection_id: service.demo.collection_id }
    const answer = await service.v1('POST', '/upload_session', { body })
    service.clock.now = null
    const { message } = refused(answer, 500, 'internal')
    expect(message).not.toMatch(/prisma|select|insert|invalid|\n|\bat\b.*:\d+/i)
  })

  test('503 `unavailable` + `Retry-After` while the database is away', async () => {
    const away = await startTestService()
    await away.services.pool.end()
    const answer = await away.v1('GET', '/creator')
    await away.stop()
    refused(answer, 503, 'unavailable')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})
