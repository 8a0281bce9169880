import { beforeAll, expect, test } from 'bun:test'
import createClient from 'openapi-fetch'
import type { paths } from '../../../src/client/generated/rest.ts'
import { tone } from '../../support/audio.ts'
import { mistakesIn } from '../../support/documented.ts'
import { useTestService } from '../../support/service.ts'

/** A client of /v1 with only generated types and a library. */
const service = useTestService()
let api: ReturnType<typeof createClient<paths>>
let anybody: ReturnType<typeof createClient<paths>>
beforeAll(async () => {
  const common = {
    baseUrl: service.services.config.publicUrl,
    fetch: async (request: Request) => service.gateway(request),
    // A list is one value with commas: the document says so, but this library goes by the types alone.
    querySerializer: { array: { style: 'form' as const, explode: false } },
  }
  api = createClient<paths>({ ...common, headers: { authorization: `Bearer ${service.demo.api_key}` } })
  anybody = createClient<paths>(common)
})

/** The data of a successful answer. */
function of<T>({ data, error }: { data?: T; error?: { message: string } }): T {
  if (data === undefined) throw new Error(error?.message)
  return data
}

test('from a session to a shared link', async () => {
  const body = { collection_id: service.demo.collection_id, metadata: { batch: 7 }, expires_in: 600 }
  const session = of(await api.POST('/v1/upload_session', { body }))
  expect(session.upload_session.metadata).toEqual({ batch: 7 })

  const at = { path: { upload_session_id: session.upload_session_id } }
  const upload = of(
    await anybody.POST('/v1/upload/{upload_session_id}/track', { params: at, body: { file_name: 'Ein Stück.wav' } }),
  )
  const { upload_url, method } = upload.track_upload
  const sent = await service.fetchEdge(upload_url, { method, body: new Blob([await tone(3)]) })
  expect(sent.status).toBe(200)
  await service.runJobs()

  const params = { path: { track_id: upload.track_id } }
  const { track, files } = of(await api.GET('/v1/track/{track_id}', { params }))
  expect(track).toMatchObject({ track_status_id: 'ready', file_name_original: 'Ein Stück.wav', info: { channels: 2 } })
  expect(files.find((file) => file.variant.index === 'hq')?.props.codec).toBe('aac')

  const variant = of(
    await api.POST('/v1/track/{track_id}/variant', {
      params: { ...params, header: { 'Idempotency-Key': 'story' } },
      body: { variant_type_id: 'preview', index: 'clip', preview_seconds: 1, codec: 'mp3' },
    }),
  )
  expect(variant.variant).toMatchObject({ index: 'clip', props: { preview_type: 'seconds', bitrate: 128 } })
  await service.runJobs()

  const share = of(
    await api.POST('/v1/api_key', {
      body: {
        title: 'For the web site',
        api_key_type_id: 'share',
        variants: ['clip'],
        collection_id: track.collection_id,
        track_id: track.id,
      },
    }),
  )
  const link = await anybody.GET('/v1/stream/{track_id}/{api_key}', {
    params: { path: { track_id: track.id, api_key: share.api_key } },
  })
  const location = link.response.headers.get('location') ?? ''
  expect([link.response.status, new URL(location).pathname.endsWith('_clip.mp3')]).toEqual([302, true])
  const sound = await service.fetchEdge(new URL(location).pathname + new URL(location).search)
  expect([sound.status, sound.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])

  of(await api.POST('/v1/collection', { body: { title: 'Another' } }))
  const type = ['track.status_changed' as const, 'track_file.created' as const, 'collection.created' as const]
  const { events } = of(await api.GET('/v1/event', { params: { query: { type } } }))
  expect(new Set(events.map((event) => event.type))).toEqual(new Set(type))
  for (const event of events) {
    const carried = { type: event.type, timestamp: event.created_at, data: event.data }
    const place = ['webhooks', event.type, 'post', 'requestBody', 'content', 'application/json', 'schema']
    expect(mistakesIn(carried, ...place)).toEqual([])
  }
})

test('a refusal is typed too', async () => {
  const { error, response } = await api.POST('/v1/creator', { body: { organization_index: '' } })
  expect(response.status).toBe(400)
  expect(error).toMatchObject({
    ok: false,
    code: 'invalid_input',
    message: 'organization_index: must be at least 1 characters long',
  })
  const { error: missing } = await api.GET('/v1/creator/{creator_id}', {
    params: { path: { creator_id: service.demo.collection_id } },
  })
  expect(missing?.code).toBe('not_found')
})
