// Resources that the specification does not show (contract, sections 3 and 4).
import { beforeAll, describe, expect, test } from 'bun:test'
import { tone } from '../support/audio.ts'
import { type Json, uploadTrack, useTestService } from '../support/service.ts'
import { createCollection, createCreator, createTrack, ok, refused, TIMESTAMP, UNKNOWN_ID, UUID_V7 } from './support.ts'

const service = useTestService()
let ready: Json
beforeAll(async () => {
  const trackId = await uploadTrack(service, await tone(2), 'My Song.wav')
  await service.runJobs()
  ready = ok(await service.v1('GET', `/track/${trackId}`))
})

const words = (text: string) => text.split(/\s+/).sort()
const collectionFields = words(`id organization_id creator_id title organization_index metadata theme
  is_cover_overridable is_theme_overridable player_color player_color_light player_color_dark player_subtitle
  created_at updated_at`)
const trackFields = words(`id organization_id collection_id creator_id index order track_status_id file_name
  file_name_original duration info analysis organization_index metadata player_title player_subtitle player_color
  player_color_light player_color_dark theme transcription transcription_language base_path base_url
  files_completed_at created_at updated_at`)
const fileFields = words(
  'id path url size content_type file_name is_public is_success status_code status_text data props variant',
)
const color = { hex: '#aabbcc', area: 1, lightness: 0.5, saturation: 0.25 }

describe('contract 3: Collection', () => {
  test('has exactly the fields of the list; optional ones default to null', async () => {
    const collection = await createCollection(service, { title: 'T' })
    expect(Object.keys(collection).sort()).toEqual(collectionFields)
    expect(collection.id).toMatch(UUID_V7)
    expect(collection.created_at).toMatch(TIMESTAMP)
    expect(collection).toMatchObject({
      organization_id: service.demo.organization_id,
      creator_id: null,
      title: 'T',
      organization_index: null,
      metadata: {},
      theme: [],
      player_color: null,
      player_color_light: null,
      player_color_dark: null,
    })
  })

  const fields: [field: string, good: unknown, bad: unknown[]][] = [
    ['title', 'Über', ['', 1, null]],
    ['organization_index', 'theirs', [1, {}]],
    ['metadata', { a_b: { c_d: 1 } }, ['x', [], 1]],
    ['theme', [color], [{}, [{ hex: '#fff' }], 'x']],
    ['is_cover_overridable', false, ['no', 0]],
    ['is_theme_overridable', false, ['no', 0]],
    ['player_color', '#000080', ['blue', '#12', 1]],
    ['player_subtitle', 'S', [1, []]],
  ]
  test.each(fields)('%s is stored by POST and changed by PUT', async (field, good, bad) => {
    const collection = await createCollection(service, { [field]: good })
    expect(collection[field]).toEqual(good)
    const { id } = await createCollection(service)
    const changed = ok(await service.v1('PUT', `/collection/${id}`, { body: { [field]: good } }))
    expect(changed.collection_id).toBe(id)
    expect(changed.collection[field]).toEqual(good)
    expect(ok(await service.v1('GET', `/collection/${id}`)).collection).toEqual(changed.collection)
    for (const value of bad) {
      const body = { title: 'T', [field]: value }
      refused(await service.v1('POST', '/collection', { body }), 400, 'invalid_input', field)
      refused(await service.v1('PUT', `/collection/${id}`, { body }), 400, 'invalid_input', field)
    }
  })

  test('title*', async () => {
    refused(await service.v1('POST', '/collection', { body: {} }), 400, 'invalid_input', 'title')
  })

  test('contract 8: colors derived from player_color', async () => {
    const collection = await createCollection(service, { player_color: '#ffff00' })
    expect(collection).toMatchObject({ player_color_light: '#8f8f00', player_color_dark: '#ffff00' })
  })

  test('read-only fields in a PUT are ignored', async () => {
    const creator = await createCreator(service)
    const { updated_at: _, ...before } = await createCollection(service)
    const ids = { id: UNKNOWN_ID, organization_id: UNKNOWN_ID, creator_id: creator.id }
    const body = { ...ids, player_color_light: '#111111', created_at: '2001-01-01T00:00:00Z' }
    const { updated_at: __, ...after } = ok(await service.v1('PUT', `/collection/${before.id}`, { body })).collection
    expect(after).toEqual(before)
  })

  test('wrappers: collections + count, collection_id, collection, deleted_collection; equal records are allowed', async () => {
    const body = { title: 'Same', organization_index: 'same' }
    const [one, two] = [await createCollection(service, body), await createCollection(service, body)]
    expect(one.id).not.toBe(two.id)
    const read = ok(await service.v1('GET', `/collection/${one.id}`))
    expect(Object.keys(read).sort()).toEqual(['api_request_id', 'collection', 'collection_id', 'ok'])
    const list = ok(await service.v1('GET', '/collection?limit=2'))
    expect(Object.keys(list).sort()).toEqual(['api_request_id', 'collections', 'count', 'ok'])
    expect(list.collections).toEqual([two, one])
    const deleted = ok(await service.v1('DELETE', `/collection/${one.id}`))
    expect(Object.keys(deleted).sort()).toEqual(['api_request_id', 'collection_id', 'deleted_collection', 'ok'])
    expect(deleted.deleted_collection.id).toBe(one.id)
  })

  test('POST also returns `collection_cover_upload`, POST .../cover the same handle and the record', async () => {
    const payload = ok(await service.v1('POST', '/collection', { body: { title: 'T' } }))
    const cover = ok(await service.v1('POST', `/collection/${payload.collection_id}/cover`))
    expect(cover.collection).toEqual(payload.collection)
    for (const { collection_cover_upload: handle } of [payload, cover]) {
      expect(Object.keys(handle).sort()).toEqual(['expires_at', 'method', 'ttl', 'upload_url'])
      expect(handle.method).toBe('POST')
    }
  })

  test('deleting is soft, and deletes its tracks', async () => {
    const collection = await createCollection(service)
    const track = await createTrack(service, { collection_id: collection.id })
    ok(await service.v1('DELETE', `/collection/${collection.id}`))
    refused(await service.v1('GET', `/track/${track.id}`), 404, 'not_found')
    const { db } = service.services
    expect((await db.collection.findUniqueOrThrow({ where: { id: collection.id } })).deletedAt).toBeInstanceOf(Date)
    expect((await db.track.findUniqueOrThrow({ where: { id: track.id } })).deletedAt).toBeInstanceOf(Date)
  })
})

describe('contract 3: Track', () => {
  test('has the fields of the list', async () => {
    expect(Object.keys(ready.track)).toEqual(expect.arrayContaining(trackFields))
    expect(ready.track).toMatchObject({
      track_status_id: 'ready',
      file_name_original: 'My Song.wav',
      creator_id: null,
      metadata: {},
      organization_id: service.demo.organization_id,
      collection_id: service.demo.collection_id,
    })
    expect(ready.track.id).toMatch(UUID_V7)
    expect(ready.track.index).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(ready.track.duration).toBeCloseTo(2, 1)
    expect(ready.track.files_completed_at).toMatch(TIMESTAMP)
  })

  test('`info` (probe result: container, codec, sample rate, channels, bit rate, tags), in snake_case', () => {
    const { tags, ...rest } = ready.track.info
    expect(rest).toEqual({
      container: 'wav',
      codec: 'pcm_s16le',
      sample_rate: 44_100,
      channels: 2,
      bit_rate: expect.any(Number),
      // Additions to the contract.
      bit_depth: 16,
      channel_layout: null,
    })
    expect(tags).toBeObject()
  })

  test('Variant files live at `{base_url}_{variant index}.{ext}`', () => {
    const doneFiles = ready.files.filter((file: Json) => file.is_success)
    expect(doneFiles).toHaveLength(ready.files.length)
    expect(doneFiles.length).toBeGreaterThanOrEqual(4)
    for (const { url, variant } of doneFiles) {
      const address = new RegExp(`^${RegExp.escape(`${ready.track.base_url}_${variant.index}`)}\\.[a-z0-9]+\\?verify=`)
      expect(url).toMatch(address)
    }
  })

  test('POST /v1/track returns what POST /v1/upload/:upload_session_id/track returns, without the session', async () => {
    const body = { collection_id: service.demo.collection_id, file_name: 'a.wav' }
    const session = ok(await service.v1('POST', '/upload_session', { body })).upload_session_id
    const added = ok(await service.v1('POST', `/upload/${session}/track`, { body }))
    const payload = ok(await service.v1('POST', '/track', { body }))
    const { upload_session: _, upload_session_id: __, ...expected } = added
    expect(Object.keys(payload).sort()).toEqual(Object.keys(expected).sort())
    for (const field of Object.keys(expected.track)) expect(payload.track[field]).toBeString()
    expect(payload.track).toMatchObject({ id: payload.track_id, upload_url: payload.track_upload.upload_url })
  })

  test('POST /v1/track needs file_name and collection_id', async () => {
    const { collection_id } = service.demo
    refused(await service.v1('POST', '/track', { body: { collection_id } }), 400, 'invalid_input', 'file_name')
    refused(await service.v1('POST', '/track', { body: { file_name: 'a' } }), 400, 'invalid_input', 'collection_id')
  })

  test('state `initialized` (created, waiting for its bytes); `order` counts up', async () => {
    const { id: collection_id } = await createCollection(service)
    const orders: number[] = []
    for (let number = 0; number < 3; number++) {
      const { track_status_id, order } = await createTrack(service, { collection_id })
      expect(track_status_id).toBe('initialized')
      orders.push(order)
    }
    expect(orders).toEqual([...orders].sort((a, b) => a - b))
    expect(new Set(orders).size).toBe(3)
  })

  const fields: [field: string, good: unknown, bad: unknown[], isNullable: boolean][] = [
    ['organization_index', 'theirs', [1], true],
    ['metadata', { a_b: 1 }, ['x', null], false],
    ['player_title', 'P', [1], true],
    ['player_subtitle', 'S', [1], true],
    ['player_color', '#000080', ['blue'], true],
    ['theme', [color], [{}, null], false],
    ['transcription', 'Once upon a time', [1], true],
    ['transcription_language', 'en', [1], true],
  ]
  test.each(fields)('%s is changed by PUT', async (field, good, bad, isNullable) => {
    const { id } = await createTrack(service)
    const put = (value: unknown) => service.v1('PUT', `/track/${id}`, { body: { [field]: value } })
    const changed = ok(await put(good))
    expect(changed.track_id).toBe(id)
    expect(changed.track[field]).toEqual(good)
    expect(ok(await service.v1('GET', `/track/${id}`)).track).toEqual(changed.track)
    for (const value of bad) refused(await put(value), 400, 'invalid_input', field)
    if (isNullable) expect(ok(await put(null)).track[field]).toBeNull()
  })

  test('read-only fields in a PUT are ignored', async () => {
    const { id } = await createTrack(service)
    const read = async () => ok(await service.v1('GET', `/track/${id}`)).track
    const { updated_at: _, ...before } = await read()
    const state = { track_status_id: 'ready', duration: 5, info: {}, order: 99, index: 'mine', base_path: 'x' }
    const body = { ...state, id: UNKNOWN_ID, collection_id: UNKNOWN_ID, file_name: 'x', files_completed_at: null }
    ok(await service.v1('PUT', `/track/${id}`, { body }))
    const { updated_at: __, ...after } = await read()
    expect(after).toEqual(before)
  })

  test('POST /v1/track/:id/cover: the record and `track_cover_upload`', async () => {
    const answer = ok(await service.v1('POST', `/track/${ready.track_id}/cover`))
    expect(Object.keys(answer).sort()).toEqual(['api_request_id', 'ok', 'track', 'track_cover_upload', 'track_id'])
    expect(answer.track_cover_upload.method).toBe('POST')
  })

  test('deleting is soft: `deleted_track`', async () => {
    const { id } = await createTrack(service)
    const answer = ok(await service.v1('DELETE', `/track/${id}`))
    expect(Object.keys(answer).sort()).toEqual(['api_request_id', 'deleted_track', 'ok', 'track_id'])
    expect(answer.deleted_track.id).toBe(id)
    const record = await service.services.db.track.findUniqueOrThrow({ where: { id } })
    expect(record.deletedAt).toBeInstanceOf(Date)
    const { tracks } = ok(await service.v1('GET', `/collection/${service.demo.collection_id}/track?limit=200`))
    expect(tracks.map((track: Json) => track.id)).not.toContain(id)
  })
})

describe('contract 3: Track file', () => {
  const file = (index: string): Json => ready.files.find((item: Json) => item.variant.index === index)

  test('GET /v1/track/:id also returns `files`, with the fields of the list', () => {
    expect(Object.keys(ready).sort()).toEqual(['api_request_id', 'files', 'ok', 'track', 'track_id'])
    for (const item of ready.files) {
      expect(Object.keys(item).sort()).toEqual(fileFields)
      expect(Object.keys(item.variant).sort()).toEqual(['id', 'index', 'variant_type'])
      expect(Object.keys(item.variant.variant_type).sort()).toEqual(['id', 'title', 'viewer_id'])
    }
  })

  test.each(['hq', 'lq', 'original'])('`data` is null for a transcode and the original: %s', (index) => {
    expect(file(index)).toMatchObject({ data: null, is_success: true })
  })

  test('`data` of a preview: {duration, extension, capture_start, capture_end, content_type}', () => {
    const fields = ['capture_end', 'capture_start', 'content_type', 'duration', 'extension']
    expect(Object.keys(file('preview').data).sort()).toEqual(fields)
    expect(file('preview').data).toMatchObject({ extension: 'mp3', content_type: 'audio/mpeg' })
  })

  test('`data` of levels: {avg, max, min, levels[], metric, resample, num_samples}, 320 samples by default', () => {
    // `waveform` is an addition.
    const { waveform: _, ...data } = file('waveform').data
    expect(Object.keys(data).sort()).toEqual(['avg', 'levels', 'max', 'metric', 'min', 'num_samples', 'resample'])
    expect(data).toMatchObject({ metric: 'rms', resample: 8000, num_samples: 320 })
    expect(data.levels).toHaveLength(320)
  })

  test.each(['hq', 'lq', 'preview', 'original'])(
    '`props` of an audio file always has codec and bitrate: %s',
    (index) => {
      expect(file(index).props.codec).toBeString()
      expect(file(index).props.bitrate).toBeNumber()
    },
  )
})
