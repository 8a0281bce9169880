// Tools of agents at /mcp, called by the official client of the Model Context Protocol.
import { afterEach, describe, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { parse, validate } from 'graphql'
import { describeTool } from '../../../src/roles/gateway/mcp/describe.ts'
import { toolSources } from '../../../src/roles/gateway/mcp/tools.ts'
import { schema } from '../../../src/roles/gateway/schema.ts'
import { createForeign, createTrack, makeKey } from '../../spec/support.ts'
import { sql } from '../../support/administrators.ts'
import {
  type Json,
  startTestService,
  type TestService,
  toAnswer,
  uploadTrack,
  useTestService,
} from '../../support/service.ts'

const service = useTestService({ RATE_LIMITS: 'on' })

const addressOf = (from: TestService) => new URL(`${from.services.config.publicUrl}/mcp`)

let client: Client | undefined
afterEach(async () => {
  await client?.close()
  client = undefined
})

/** Versions of the protocol: with and without a handshake. */
const versions = ['2025-11-25', '2026-07-28'] as const

async function connect(
  key: string,
  version: (typeof versions)[number] = '2026-07-28',
  from = service,
): Promise<Client> {
  const versionNegotiation = version === '2026-07-28' ? ({ mode: 'auto' } as const) : undefined
  client = new Client({ name: 'test', version: '1' }, { versionNegotiation })
  const fetch = (url: URL | string, options?: RequestInit) => Promise.resolve(from.gateway(new Request(url, options)))
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(addressOf(from), { fetch, requestInit }))
  return client
}

/** Calls a tool of the connected agent. */
async function callAny(name: string, args: Json): Promise<{ data: Json; failure: string | null }> {
  if (!client) throw new Error('no agent is connected')
  const { structuredContent, isError, content } = (await client.callTool({ name, arguments: args })) as CallToolResult
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return { data: structuredContent ?? {}, failure: isError ? text : null }
}

/** Calls a tool that must succeed. */
async function call(name: string, args: Json = {}): Promise<Json> {
  const { data, failure } = await callAny(name, args)
  expect(failure).toBeNull()
  return data
}

describe.each(versions)('an agent that speaks version %s', (version) => {
  test('lists the tools, and makes a collection and a link for listeners', async () => {
    const agent = await connect(service.demo.api_key, version)
    const { tools } = await agent.listTools()
    expect(tools.map(({ name }) => name)).toContain('find_tracks')
    const { createCollection } = await call('create_collection', { input: { title: `Agents ${version}` } })
    const { id } = createCollection.collection
    const { nodes } = (await call('find_collections', { search: `agents ${version}` })).collections
    expect(nodes).toMatchObject([{ id }])
    const [variant] = (await call('list_variants')).variants.nodes
    const input = { title: 'For the press', variant: variant.index, collectionId: id }
    const link = (await call('create_share_link', { input })).createShareKey.record
    expect(link.pageUrl).toMatch(new RegExp(`^${service.services.config.publicUrl}/s/collection/${id}/\\S+$`))
    const wide = await call('create_share_link', { input: { title: 'All', variant: variant.index } })
    expect(wide.createShareKey.record.pageUrl).toBeNull()
    const changed = await call('update_share_link', { id: link.id, input: { maxPlays: 3 } })
    expect(changed.updateShareKey.key).toMatchObject({ id: link.id, maxPlays: 3, countedPlays: 0 })
    expect((await call('end_share_link', { id: link.id })).revokeKey.key.isActive).toBe(false)
  })
})

test('reads a transcript as text, or in another form', async () => {
  const { id } = await createTrack(service)
  const change = (transcription: string) =>
    service.services.db.track.update({ where: { id }, data: { transcription, transcriptionLanguage: 'en' } })
  await change('WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>La &amp; lo')
  await connect(service.demo.api_key)
  const read = async (form?: string) => (await call('get_transcript', { id, ...(form && { form }) })).track
  expect(await read()).toMatchObject({ transcriptionLanguage: 'en', transcript: 'Ada: La & lo' })
  expect((await read('SRT')).transcript).toBe('1\n00:00:01,000 --> 00:00:02,000\nAda: La & lo\n')
  await change('La')
  expect([(await read()).transcript, (await read('VTT')).transcript]).toEqual(['La', null])
})

test('finds what is said, with the places', async () => {
  const { id } = await createTrack(service)
  const transcription = 'WEBVTT\n\n01:00.000 --> 01:02.000\n<v Ada>Zeppelins over the lake'
  await service.v1('PUT', `/track/${id}`, { body: { transcription } })
  await connect(service.demo.api_key)
  const parts = [
    { text: 'Zeppelins', isMatch: true },
    { text: ' over the lake', isMatch: false },
  ]
  expect((await call('find_in_transcripts', { search: 'zeppelin' })).tracks.nodes).toMatchObject([
    { id, transcriptHits: [{ startSeconds: 60, speaker: 'Ada', parts }] },
  ])
})

test('counts listens by app', async () => {
  await sql(
    service,
    `INSERT INTO play_event (id, organization_id, created_at, collection_id, track_id, key_id, variant_id, app)
     SELECT gen_random_uuid(), $1, now(), id, id, id, id, app
     FROM gen_random_uuid() AS id, unnest(ARRAY['Pocket Casts', 'Pocket Casts', 'Overcast']) AS app`,
    [service.demo.organization_id],
  )
  await connect(service.demo.api_key)
  const { audience } = await call('get_audience', { by: 'APP', top: 1 })
  expect(audience).toEqual([{ value: 'Pocket Casts', listens: 2 }])
})

test('says how much of a track is heard', async () => {
  const { id } = await createTrack(service)
  await connect(service.demo.api_key)
  const { retention } = await call('get_retention', { trackId: id })
  expect([retention.listenings, retention.hundredths.length]).toEqual([0, 100])
})

test('every tool is valid, has a name of its own, and describes each of its arguments', () => {
  const tools = toolSources.map((source) => describeTool(source, schema))
  expect(toolSources.flatMap(({ operation }) => validate(schema, parse(operation)))).toEqual([])
  expect(new Set(tools.map(({ name }) => name)).size).toBe(toolSources.length)
  const silent = tools.flatMap(({ name, inputSchema }) =>
    Object.entries(inputSchema.properties ?? {})
      .filter(([, property]) => !('description' in (property as object)))
      .map(([argument]) => `${name}.${argument}`),
  )
  expect(silent).toEqual([])
})

describe('a tool', () => {
  test('explains why a recording is not played', async () => {
    const id = await uploadTrack(service, new TextEncoder().encode('no sound'))
    await service.runJobs()
    await connect(service.demo.api_key)
    const { track } = await call('explain_track', { id })
    expect(track).toMatchObject({ id, status: 'INIT_ERROR', statusCode: 'not_audio', statusText: expect.any(String) })
  })

  test('changes only what its input contains, and clears what is null', async () => {
    const { id } = await createTrack(service, { collection_id: service.demo.collection_id })
    await connect(service.demo.api_key)
    const change = async (input: Json) => (await call('update_track', { id, input })).updateTrack.track
    expect(await change({ title: 'Night train', artist: 'Ada' })).toMatchObject({ title: 'Night train', artist: 'Ada' })
    expect(await change({ artist: null })).toMatchObject({ title: 'Night train', artist: null })
  })

  test.each([
    ['a missing argument', 'get_track', {}, /\$id/],
    ['an argument of another type', 'get_track', { id: { a: 1 } }, /\$id/],
    ['a value beyond its limit', 'find_tracks', { first: 500 }, /first/],
    ['an unknown field', 'create_collection', { input: { title: 'A', colour: 'red' } }, /colour/],
    ['a record that does not exist', 'delete_track', { id: crypto.randomUUID() }, /not_found/],
    ['a tool that does not exist', 'sing', {}, /sing/],
  ])('refuses %s in words that name it', async (_, name, args, words) => {
    await connect(service.demo.api_key)
    expect((await callAny(name, args)).failure).toMatch(words)
  })

  test('has the rights of its key', async () => {
    const foreign = await createForeign(service)
    await connect(foreign.key)
    expect((await callAny('get_collection', { id: service.demo.collection_id })).failure).toContain('not_found')
    await connect(await makeKey(service, 'uploader', {}))
    expect((await callAny('find_tracks', {})).failure).toContain('forbidden')
  })

  test('runs where only listed operations may', async () => {
    const file = join(tmpdir(), `operations-${crypto.randomUUID()}.json`)
    await Bun.write(file, '{}')
    const strict = await startTestService({ GRAPHQL_PERSISTED: 'only', GRAPHQL_PERSISTED_FILE: file })
    try {
      await connect(strict.demo.api_key, undefined, strict)
      expect((await call('find_collections')).collections.nodes.length).toBeGreaterThan(0)
    } finally {
      await strict.stop()
      await rm(file)
    }
  })
})

describe('a request', () => {
  async function send(method: string, body?: string, key: string | null = service.demo.api_key, more = {}) {
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(key && { authorization: `Bearer ${key}` }),
      ...more,
    }
    return toAnswer(await service.gateway(new Request(addressOf(service), { method, headers, body })))
  }
  const message = (method: string, params: Json) => ({ jsonrpc: '2.0', id: 1, method, params })
  const find = message('tools/call', { name: 'find_tracks', arguments: {} })

  test('of a call is counted once', async () => {
    const remaining = async () =>
      Number((await send('POST', JSON.stringify(find))).headers.get('ratelimit')?.match(/r=(\d+)/)?.[1])
    const before = await remaining()
    expect(await remaining()).toBe(before - 1)
  })

  test('needs a key, and says how to send it', async () => {
    for (const key of [null, 'wrong']) {
      const { status, headers } = await send('POST', JSON.stringify(find), key)
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
  })

  test.each([
    ['several messages', [find, find]],
    ['no object', 'text'],
  ])('with %s is refused', async (_, body) => {
    const { status, json } = await send('POST', JSON.stringify(body))
    expect([status, json.message]).toEqual([400, 'body: must be one JSON-RPC message'])
  })

  test('opens no stream', async () => {
    const { status, headers } = await send('GET')
    expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { _meta: meta, notifications: { toolsListChanged: true } }
    const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
    const listening = await send('POST', JSON.stringify(message('subscriptions/listen', params)), undefined, modern)
    expect(listening.json.error.message).toBe('Subscription limit reached')
  })
})
