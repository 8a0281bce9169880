import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Json, useTestService } from '../support/service.ts'
import {
  createForeign,
  createTrack,
  makeReady,
  ok,
  refused,
  UNKNOWN_ID,
  UUID,
  UUID_V7,
  unique,
  variantBody,
} from './support.ts'

const service = useTestService()
let trackId: string
beforeAll(async () => {
  trackId = (await createTrack(service)).id
})
beforeEach(() => makeReady(service, trackId))

const add = (body: object, id = trackId) => service.v1('POST', `/track/${id}/variant`, { body })
const getTrack = async (): Promise<Json> => ok(await service.v1('GET', `/track/${trackId}`))

describe('2 Track-specific variant (returned by `POST /v1/track/:track_id/variant`)', () => {
  test('2 Track-specific variant | track_id | uuid | Track it belongs to', async () => {
    const answer = ok(await add(variantBody('transcode')))
    expect([answer.track_id, answer.variant.track_id]).toEqual([trackId, trackId])
  })

  test('2 Track-specific variant | index | string | Delivery name of the variant', async () => {
    const body = variantBody('transcode')
    expect(ok(await add(body)).variant.index).toBe(body.index)
    const { files } = await getTrack()
    expect(files.map((file: Json) => file.variant.index)).toContain(body.index)
  })

  test('2 Fields id, organization_id, variant_type_id, props as above, plus: track_id, index', async () => {
    const { variant } = ok(await add(variantBody('preview')))
    const fields = ['id', 'index', 'organization_id', 'props', 'track_id', 'variant_type_id']
    expect(Object.keys(variant).sort()).toEqual(fields)
    expect(variant.id).toMatch(UUID_V7)
    expect(variant).toMatchObject({ organization_id: service.demo.organization_id, variant_type_id: 'preview' })
    expect(variant.props).toBeObject()
  })

  test('4 Response: `ok`, `api_request_id`, `track_id`, `variant_id`, `job_id` (uuid), `variant`', async () => {
    const answer = ok(await add(variantBody('transcode')))
    const fields = ['api_request_id', 'job_id', 'ok', 'track_id', 'variant', 'variant_id']
    expect(Object.keys(answer).sort()).toEqual(fields)
    expect(answer.job_id).toMatch(UUID)
    expect(answer).toMatchObject({ track_id: trackId, variant_id: answer.variant.id })
  })

  test('contract 3: a variant of one track is neither listed nor retrieved among the organization-wide ones', async () => {
    const { variant_id } = ok(await add(variantBody('transcode')))
    refused(await service.v1('GET', `/variant/${variant_id}`), 404, 'not_found')
    const { variants } = ok(await service.v1('GET', '/variant?limit=200'))
    expect(variants.map(({ id }: Json) => id)).not.toContain(variant_id)
  })
})

describe('3 States and transitions', () => {
  test('3 ready | `POST /v1/track/:track_id/variant` | Track is already processed | processing | A new track file is appended to the track; a processing job is queued (`job_id` returned)', async () => {
    const before = await getTrack()
    expect(before.track.track_status_id).toBe('ready')
    const body = variantBody('transcode', { codec: 'mp3' })
    const { job_id, variant_id } = ok(await add(body))
    const after = await getTrack()
    expect(after.track.track_status_id).toBe('processing')
    expect(after.files.slice(0, -1)).toHaveLength(before.files.length)
    expect(after.files.at(-1)).toMatchObject({ is_success: false, url: null, variant: { id: variant_id } })
    const job = await service.services.db.job.findUniqueOrThrow({ where: { id: job_id } })
    expect(job).toMatchObject({ trackId, variantId: variant_id })
  })

  test('contract 4: POST .../variant takes a track that is `incomplete` too', async () => {
    await service.services.db.track.update({ where: { id: trackId }, data: { status: 'incomplete' } })
    ok(await add(variantBody('transcode')))
  })

  test('contract 1: 409 `track_processing` while the track is being processed', async () => {
    ok(await add(variantBody('transcode')))
    refused(await add(variantBody('transcode')), 409, 'track_processing')
    await service.services.db.track.update({ where: { id: trackId }, data: { status: 'fallback_processing' } })
    refused(await add(variantBody('transcode')), 409, 'track_processing')
  })

  test('contract 1: 422 `no_source_file` for a track that has no upload yet', async () => {
    const { id } = await createTrack(service)
    refused(await add(variantBody('transcode'), id), 422, 'no_source_file')
  })
})

describe('4 Common body parameters', () => {
  test('4 track_id | uuid | Yes | Path parameter', async () => {
    const body = variantBody('transcode', { track_id: UNKNOWN_ID })
    expect(ok(await add(body)).track_id).toBe(trackId)
    refused(await add(variantBody('transcode'), UNKNOWN_ID), 404, 'not_found', 'track_id')
    refused(await add(variantBody('transcode'), 'no-uuid'), 400, 'invalid_input', 'track_id')
    const foreign = await createForeign(service)
    refused(await add(variantBody('transcode'), foreign.trackId), 404, 'not_found', 'track_id')
    const deleted = await createTrack(service)
    ok(await service.v1('DELETE', `/track/${deleted.id}`))
    refused(await add(variantBody('transcode'), deleted.id), 404, 'not_found', 'track_id')
  })

  test('4 variant_type_id | string | Yes | `transcode` (full-length file) or `preview` (short clip); selects the parameter set', async () => {
    const { index } = variantBody('transcode')
    refused(await add({ index }), 400, 'invalid_input', 'variant_type_id')
    for (const wrong of ['Transcode', '', null, 1]) {
      refused(await add({ index, variant_type_id: wrong }), 400, 'invalid_input', 'variant_type_id')
    }
    const transcode = ok(await add({ index, variant_type_id: 'transcode', preview_seconds: -1 }))
    expect(transcode.variant.props).not.toHaveProperty('preview_seconds')
    await makeReady(service, trackId)
    const preview = ok(await add(variantBody('preview', { preview_seconds: 7 })))
    expect(preview.variant.props.preview_seconds).toBe(7)
  })

  const indexRow =
    '4 index | string | Yes | Delivery name, 2–64 characters, letters, digits, `_`, `-`. Must not collide with an existing organization or track variant'
  const good = ['ab', '0_', '--', 'Az09_-', 'x'.repeat(63), 'y'.repeat(64)]
  const bad = ['', 'a', 'z'.repeat(65), 'a b', 'a.b', 'a/b', '../', 'ü1', 'ab\n', 'a\u0000b', '１２', 12, null, ['ab']]

  test.each(good)(`${indexRow} (%j)`, async (index) => {
    expect(ok(await add({ variant_type_id: 'transcode', index })).variant.index).toBe(index)
  })

  test.each(bad.map((index) => [index] as const))(`${indexRow} (not %j)`, async (index) => {
    refused(await add({ variant_type_id: 'transcode', index }), 400, 'invalid_input', 'index')
  })

  test(`${indexRow} (required)`, async () => {
    refused(await add({ variant_type_id: 'transcode' }), 400, 'invalid_input', 'index')
  })

  test('4 index must not collide with an existing organization variant', async () => {
    refused(await add({ variant_type_id: 'transcode', index: 'hq' }), 409, 'index_taken', 'index')
    expect((await getTrack()).track.track_status_id).toBe('ready')
  })

  test('4 index must not collide with an existing variant of the track', async () => {
    const body = variantBody('preview')
    ok(await add(body))
    await makeReady(service, trackId)
    refused(await add({ ...body, variant_type_id: 'transcode' }), 409, 'index_taken', 'index')
  })

  test('4 index of another track, or of another organization, is no collision', async () => {
    const body = variantBody('transcode')
    const { db } = service.services
    const foreign = await createForeign(service)
    const other = await createTrack(service)
    const recipe = { type: 'transcode', index: body.index, props: {} } as const
    await db.variant.create({ data: { ...recipe, organizationId: service.demo.organization_id, trackId: other.id } })
    await db.variant.create({ data: { ...recipe, organizationId: foreign.organizationId } })
    ok(await add(body))
  })

  test('8 index length | Track variant | 2–64 characters; letters, digits, `_`, `-`', async () => {
    for (const index of ['a', 'a'.repeat(65), 'a b', 'a~b']) {
      refused(await add({ variant_type_id: 'transcode', index }), 400, 'invalid_input', 'index')
    }
    ok(await add({ variant_type_id: 'transcode', index: unique('A_z-9').padEnd(64, '_') }))
  })

  test.each(['levels', 'waveform_image', 'waveform_video', 'original', 'cover', 'analysis', 'toString'])(
    '8 Variant types via API | Track variant | `transcode`, `preview` only: %s',
    async (type) => {
      refused(await add({ variant_type_id: type, index: 'some' }), 400, 'invalid_input', 'variant_type_id')
    },
  )
})
