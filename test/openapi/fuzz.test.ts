import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { composeDocument, exampleAddresses } from '../../src/roles/gateway/openapi/document.ts'
import type { JsonSchema } from '../../src/roles/gateway/openapi/json-schema.ts'
import { makeReady } from '../spec/support.ts'
import { checkDocumented, mistakesIn } from '../support/documented.ts'
import { toAnswer, useTestService } from '../support/service.ts'
import { odd, spoilt, valid } from './arbitrary.ts'

/** Requests for every operation of /v1. Each answer must be documented. */
const REQUESTS = 80
const SEED = 20_261_121

const document = composeDocument(exampleAddresses)
const components = document.components.schemas as Record<string, JsonSchema>

interface Operation {
  security: object[]
  parameters: { $ref?: string; name: string; in: string; schema: JsonSchema }[]
  requestBody?: { content: { 'application/json': { schema: JsonSchema } } }
}
const operations = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/v1/'))
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation: operation as unknown as Operation })),
  )
  // Deleted records cannot be requested any more.
  .sort((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'))

const service = useTestService()
/** IDs of existing records for the parameters of paths. */
let knownIds: Record<string, string>
beforeAll(async () => {
  const { organization_id, collection_id, share_key } = service.demo
  const create = async (path: string, body: object) => (await service.v1('POST', path, { body })).json
  const { creator_id } = await create('/creator', { organization_index: 'known' })
  const { track_id } = await create('/track', { collection_id, file_name: 'a.wav' })
  const { track_id: recording_id } = await create('/track', { collection_id, file_name: 'former.wav' })
  for (const id of [track_id, recording_id]) await makeReady(service, id)
  await service.services.db.track.update({
    where: { id: recording_id },
    data: { replacesId: track_id, replacedAt: new Date(), deletedAt: new Date() },
  })
  const { upload_session_id } = await create('/upload_session', { collection_id })
  const { play_session_id } = await create('/play_session/collection', { collection_id })
  const variant_id = (await service.v1('GET', '/variant')).json.variants[0].id
  const records = { organization_id, collection_id, creator_id, track_id, recording_id, variant_id }
  await service.v1('PUT', `/track/${track_id}/translation/de`, { body: { text: 'a' } })
  const ids = { ...records, upload_session_id, play_session_id }
  knownIds = { ...ids, api_key: share_key, variant_index: 'hq', grant: 'k1.x.y', file: 'master.m3u8', language: 'de' }
})

interface Drawn {
  parts: Record<string, string>
  query: Record<string, unknown>
  body: { value: unknown } | { raw: string | Uint8Array<ArrayBuffer> }
  type: string
  accept: string
  once: string | null
  isKeyless: boolean
}

const rawBodies = fc.constantFrom<string | Uint8Array<ArrayBuffer>>(
  '{',
  '[]',
  'null',
  '"x"',
  '{"a":1}{',
  '\ufeff{}',
  `{"metadata":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`,
  '['.repeat(50_000),
  `{"metadata":{"a":"${'x'.repeat(70_000)}"}}`,
  `{"a":"${'x'.repeat(1_100_000)}"}`,
  new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  new Uint8Array([0]),
  '{"title":"\\ud800"}',
)
const oddParts = fc.constantFrom('x', '0', '%00', '%ff', '%2e%2e%2f', "'", '💥', 'a'.repeat(3000), crypto.randomUUID())

/** One request for an operation. Most have a single error. */
function drawn({ parameters, requestBody }: Operation): fc.Arbitrary<Drawn> {
  const schemas = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const queries = fc.record(
    Object.fromEntries(
      schemas('query').map(({ name, schema }) => [
        name,
        fc.oneof({ weight: 3, arbitrary: valid(schema, components) }, { weight: 1, arbitrary: odd }),
      ]),
    ),
    { requiredKeys: [] },
  )
  const schema = requestBody?.content['application/json'].schema
  const good = schema ? valid(schema, components) : fc.constant({})
  const names = schema ? namesIn(schema) : ['a']
  return fc.record({
    parts: fc.record(
      Object.fromEntries(
        schemas('path').map(({ name }) => [
          name,
          fc.oneof({ weight: 5, arbitrary: fc.constant('known') }, { weight: 1, arbitrary: oddParts }),
        ]),
      ),
    ),
    query: queries,
    body: fc.oneof(
      { weight: 3, arbitrary: good.map((value) => ({ value })) },
      { weight: 4, arbitrary: spoilt(good, names).map((value) => ({ value })) },
      { weight: 1, arbitrary: rawBodies.map((raw) => ({ raw })) },
    ),
    type: fc.oneof(
      { weight: 8, arbitrary: fc.constant('application/json') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('text/plain', 'application/json; charset=latin1', 'x', 'multipart/form-data'),
      },
    ),
    accept: fc.constantFrom('*/*', 'application/json', 'application/problem+json', 'text/html', ','),
    once: fc.option(fc.constantFrom('a', 'b', 'x'.repeat(300)), { freq: 4 }),
    isKeyless: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  })
}

function namesIn(schema: JsonSchema): string[] {
  if (schema.$ref) return namesIn(components[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  return [...Object.keys(schema.properties ?? {}), ...inner.flatMap(namesIn)]
}

async function send(path: string, method: string, operation: Operation, request: Drawn) {
  const at = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const part = request.parts[name] ?? ''
    return part === 'known' ? (knownIds[name] ?? '') : part
  })
  const query = new URLSearchParams(Object.entries(request.query).map(([name, value]) => [name, inQuery(value)]))
  const hasBody = method !== 'get'
  const body = 'raw' in request.body ? request.body.raw : JSON.stringify(request.body.value)
  const headers = new Headers({ accept: request.accept })
  if (hasBody) headers.set('content-type', request.type)
  if (request.once !== null) headers.set('idempotency-key', request.once)
  if (operation.security.length > 0 && !request.isKeyless)
    headers.set('authorization', `Bearer ${service.demo.api_key}`)
  const address = `${service.services.config.publicUrl}${at}${query.size > 0 ? `?${query}` : ''}`
  const init = { method: method.toUpperCase(), headers, body: hasBody ? body : undefined }
  const answer = await toAnswer(await service.gateway(new Request(address, init)))
  return { at: new URL(address).pathname, answer }
}

const inQuery = (value: unknown) => (typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value))

/** Rules that a schema cannot express; they are in the descriptions. */
const beyondSchemas =
  /exactly one variant|must be empty for|requires a collection|can be true only for|must be in the future|bytes of JSON|valid Unicode|nested|preview_max|must be a time|Idempotency-Key|(collection_id|track_id|file_name): is required|source_url: must|must be UTF-8/

describe('every answer is documented', () => {
  test.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    '%s',
    async (name, { path, method, operation }) => {
      for (const request of fc.sample(drawn(operation), { numRuns: REQUESTS, seed: SEED })) {
        const { at, answer } = await send(path, method, operation, request)
        const summary = `${name} ${JSON.stringify(request).slice(0, 600)} -> ${answer.status} ${answer.text.slice(0, 300)}`
        expect([answer.status < 500, summary]).toEqual([true, summary])
        checkDocumented(method.toUpperCase(), at, answer)
        if (!operation.requestBody || 'raw' in request.body) continue
        const place = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema']
        const mistakes = mistakesIn(request.body.value, ...place)
        // Input that the document forbids is refused, and input that it allows is not refused for its form.
        if (mistakes.length > 0) expect([answer.status === 200, summary, mistakes]).toEqual([false, summary, mistakes])
        // Not that of the path.
        const isForm = answer.status === 400 && !/_id: must be a UUID|^language: must/.test(answer.json.message)
        if (mistakes.length === 0 && isForm)
          expect([beyondSchemas.test(answer.json.message), summary]).toEqual([true, summary])
      }
    },
  )
})

/** Methods of every path that an address may be taken for. */
const listMethods = (at: string) =>
  operations
    .filter(({ path }) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(at))
    .map(({ method }) => method.toUpperCase())

test('other methods are refused as documented', async () => {
  const statuses: [method: string, at: string, status: number][] = []
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const at = path.replace(/\{(\w+)\}/g, (_, name: string) => knownIds[name] ?? '')
    // The scope of a play session is at the position of its id in other paths.
    if (path === '/v1/play_session/{play_session_id}') continue
    for (const method of ['PATCH', 'POST', 'DELETE', 'PUT', 'PROPFIND']) {
      if (listMethods(at).includes(method)) continue
      statuses.push([method, at, (await service.request(method, at, { body: '{' })).status])
    }
  }
  expect(statuses).not.toBeEmpty()
  expect(statuses.filter(([, , status]) => status !== 405)).toEqual([])
})
