import { beforeAll, describe, expect, test } from 'bun:test'
import { type Json, useTestService } from '../support/service.ts'
import { createForeign, ok, refused, UNKNOWN_ID, UUID, UUID_V7 } from './support.ts'

const service = useTestService()
let variants: Json[]
beforeAll(async () => {
  variants = ok(await service.v1('GET', '/variant')).variants
  expect(variants.length).toBeGreaterThanOrEqual(4)
})

const byIndex = (index: string): Json => variants.find((variant) => variant.index === index)

describe('2 Variant (organization-level, as listed and retrieved)', () => {
  test('2 Variant | id | uuid |', async () => {
    for (const { id } of variants) expect(id).toMatch(UUID_V7)
    expect(new Set(variants.map(({ id }) => id)).size).toBe(variants.length)
  })

  test('2 Variant | organization_id | uuid |', () => {
    const others = variants.filter(({ organization_id }) => organization_id !== service.demo.organization_id)
    expect(others).toEqual([])
  })

  test('2 Variant | variant_type_id | string | Kind of variant. Values seen: `transcode`, `preview`', () => {
    expect(byIndex('hq').variant_type_id).toBe('transcode')
    expect(byIndex('preview').variant_type_id).toBe('preview')
  })

  test('2 Variant | props | object | Parameters of the recipe', () => {
    expect(byIndex('hq').props).toMatchObject({ codec: 'aac', bitrate: 192 })
    expect(byIndex('preview').props).toMatchObject({ codec: 'mp3', preview_type: 'seconds', preview_seconds: 30 })
  })

  test('contract 3: a variant carries its `index` in every answer, organization-wide ones too', async () => {
    expect(Object.keys(byIndex('hq')).sort()).toEqual(['id', 'index', 'organization_id', 'props', 'variant_type_id'])
  })
})

describe('4 Variants', () => {
  test('4 GET /v1/variant: query `limit` (number, optional)', async () => {
    expect(ok(await service.v1('GET', '/variant?limit=2')).variants).toEqual(variants.slice(0, 2))
  })

  test('4 GET /v1/variant: query `offset` (number, optional)', async () => {
    expect(ok(await service.v1('GET', '/variant?offset=1&limit=2')).variants).toEqual(variants.slice(1, 3))
  })

  test('4 GET /v1/variant: `ok`, `api_request_id`, `count`, `variants` (array of Variant)', async () => {
    const list = ok(await service.v1('GET', '/variant?limit=1'))
    expect(Object.keys(list).sort()).toEqual(['api_request_id', 'count', 'ok', 'variants'])
    expect(list.count).toBe(variants.length)
    expect(list.api_request_id).toMatch(UUID)
  })

  test('4 GET /v1/variant/:variant_id: `ok`, `api_request_id`, `variant_id`, `variant`', async () => {
    expect(variants).not.toBeEmpty()
    for (const variant of variants) {
      const answer = ok(await service.v1('GET', `/variant/${variant.id}`))
      expect(answer).toEqual({ ok: true, api_request_id: answer.api_request_id, variant_id: variant.id, variant })
    }
  })

  test('4 GET /v1/variant/:variant_id: an unknown, a deleted and a foreign id are 404, no UUID is 400', async () => {
    const { db } = service.services
    const foreign = await createForeign(service)
    const data = { organizationId: service.demo.organization_id, type: 'transcode', index: 'gone', props: {} } as const
    const deleted = await db.variant.create({ data: { ...data, deletedAt: new Date() } })
    for (const id of [UNKNOWN_ID, deleted.id, foreign.variantId]) {
      refused(await service.v1('GET', `/variant/${id}`), 404, 'not_found', 'variant_id')
    }
    refused(await service.v1('GET', '/variant/hq'), 400, 'invalid_input', 'variant_id')
    const list = ok(await service.v1('GET', '/variant'))
    expect(list.count).toBe(variants.length)
    const theirs = ok(await service.v1('GET', '/variant', { key: foreign.key }))
    expect(theirs.variants.map(({ id }: Json) => id)).toEqual([foreign.variantId])
  })

  test('1 Organization-wide variants are created in the website, not through the API', async () => {
    const body = { variant_type_id: 'transcode', index: 'new-one' }
    const answer = await service.v1('POST', '/variant', { body })
    refused(answer, 405, 'method_not_allowed')
    expect(answer.headers.get('allow')).toBe('GET')
  })
})
