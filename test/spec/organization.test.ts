import { describe, expect, test } from 'bun:test'
import { type Json, useTestService } from '../support/service.ts'
import { createForeign, makeKey, ok, refused, UNKNOWN_ID, UUID } from './support.ts'

const service = useTestService()

const path = () => `/organization/${service.demo.organization_id}`
const read = async (): Promise<Json> => ok(await service.v1('GET', path())).organization
const put = async (body: object): Promise<Json> => ok(await service.v1('PUT', path(), { body })).organization
const color = { hex: '#aabbcc', area: 0.5, lightness: 0, saturation: 1 }

describe('2 Organization', () => {
  test('2 Organization | id | uuid |', async () => {
    const answer = ok(await service.v1('GET', path()))
    expect(answer.organization.id).toBe(service.demo.organization_id)
    expect(answer.organization_id).toBe(service.demo.organization_id)
  })

  test('2 Organization | name | string |', async () => {
    expect((await read()).name).toBeString()
  })

  test('2 Organization | theme | array of objects | Colors extracted from cover images; each color object has hex, area, lightness, saturation', async () => {
    await put({ theme: [color] })
    expect((await read()).theme).toEqual([color])
  })

  test('2 Organization | is_theme_overridable | boolean | Whether organization image colors can be overridden', async () => {
    expect((await read()).is_theme_overridable).toBeBoolean()
  })

  test('2 Organization | is_cover_overridable | boolean | Whether organization cover can be overridden', async () => {
    expect((await read()).is_cover_overridable).toBeBoolean()
  })

  test('2 Organization | player_color | string | Hex color', async () => {
    expect((await read()).player_color).toMatch(/^#[0-9a-f]{6}$/)
  })

  test('contract 8: an organization always has a color (initially `#5b5bd6`)', async () => {
    const { organizationId, key } = await createForeign(service)
    const { organization } = ok(await service.v1('GET', `/organization/${organizationId}`, { key }))
    expect(organization.player_color).toBe('#5b5bd6')
  })

  test('2 Organization | player_color_light | string or null | Read-only; derived from player_color by shifting brightness until a minimum contrast is met', async () => {
    expect((await put({ player_color: '#ffff00' })).player_color_light).toBe('#8f8f00')
    expect((await put({ player_color: '#000000' })).player_color_light).toBe('#000000')
  })

  test('2 Organization | player_color_dark | string or null | Read-only; same derivation for dark backgrounds', async () => {
    expect((await put({ player_color: '#000080' })).player_color_dark).toBe('#0000ff')
    expect((await put({ player_color: '#ffffff' })).player_color_dark).toBe('#ffffff')
  })

  test('2 Organization | player_subtitle | string |', async () => {
    expect((await read()).player_subtitle).toBeString()
  })

  test("2 Organization | webhook_url | string or null | Read-only through the API; configured in the dashboard's webhook settings", async () => {
    const { organizationId, key } = await createForeign(service)
    const theirs = async () => ok(await service.v1('GET', `/organization/${organizationId}`, { key })).organization
    expect((await theirs()).webhook_url).toBeNull()
    const url = 'https://example.com/hook'
    await service.services.db.webhookEndpoint.create({
      data: { organizationId, url, secrets: [`whsec_${btoa('x'.repeat(32))}`] },
    })
    expect((await theirs()).webhook_url).toBe(url)
  })

  test('2 Organization has the fields of the table and no other', async () => {
    const fields = [
      'id',
      'is_cover_overridable',
      'is_theme_overridable',
      'name',
      'player_color',
      'player_color_dark',
      'player_color_light',
      'player_subtitle',
      'theme',
      'webhook_url',
    ]
    expect(Object.keys(await read()).sort()).toEqual(fields)
  })
})

describe('4 Organizations', () => {
  test('4 GET /v1/organization/:organization_id: `ok`, `api_request_id`, `organization_id`, `organization`', async () => {
    const answer = ok(await service.v1('GET', path()))
    expect(Object.keys(answer).sort()).toEqual(['api_request_id', 'ok', 'organization', 'organization_id'])
    expect(answer.api_request_id).toMatch(UUID)
  })

  test('4 PUT /v1/organization/:organization_id: Response as for GET', async () => {
    const changed = ok(await service.v1('PUT', path(), { body: { player_subtitle: 'same' } }))
    const { api_request_id, ...rest } = ok(await service.v1('GET', path()))
    expect(changed).toEqual({ ...rest, api_request_id: changed.api_request_id })
  })

  test('4 path `organization_id` uuid, required', async () => {
    const foreign = await createForeign(service)
    for (const method of ['GET', 'PUT']) {
      const body = method === 'PUT' ? { name: 'taken over' } : undefined
      refused(await service.v1(method, '/organization/x', { body }), 400, 'invalid_input', 'organization_id')
      for (const id of [UNKNOWN_ID, foreign.organizationId]) {
        refused(await service.v1(method, `/organization/${id}`, { body }), 404, 'not_found', 'organization_id')
      }
    }
    const { organization } = ok(
      await service.v1('GET', `/organization/${foreign.organizationId}`, { key: foreign.key }),
    )
    expect(organization.name).toBe('Foreign')
  })

  const rows: { row: string; field: string; good: [input: unknown, output: unknown][]; bad: unknown[] }[] = [
    {
      row: '4 PUT organization | name | string',
      field: 'name',
      good: [['Ü & Co.', 'Ü & Co.']],
      bad: ['', 1, null, []],
    },
    {
      row: '4 PUT organization | theme | array of objects (hex, area, lightness, saturation)',
      field: 'theme',
      good: [
        [[], []],
        [
          [color, { ...color, hex: '#000000' }],
          [color, { ...color, hex: '#000000' }],
        ],
      ],
      bad: [
        {},
        ['#fff'],
        [{ ...color, hex: 'red' }],
        [{ ...color, area: '1' }],
        [{ hex: '#ffffff' }],
        [{ ...color, lightness: 1.1 }],
        [{ ...color, saturation: -0.1 }],
        null,
      ],
    },
    {
      row: '4 PUT organization | is_theme_overridable | boolean',
      field: 'is_theme_overridable',
      good: [
        [false, false],
        [true, true],
      ],
      bad: ['true', 1, null],
    },
    {
      row: '4 PUT organization | is_cover_overridable | boolean',
      field: 'is_cover_overridable',
      good: [
        [false, false],
        [true, true],
      ],
      bad: ['true', 0, null],
    },
    {
      row: '4 PUT organization | player_color | string (hex color)',
      field: 'player_color',
      good: [
        ['#123456', '#123456'],
        ['#ABCDEF', '#abcdef'],
      ],
      bad: ['red', '123456', '#12345', '#1234567', '#gggggg', '', 1, null],
    },
    {
      row: '4 PUT organization | player_subtitle | string',
      field: 'player_subtitle',
      good: [
        ['Listen', 'Listen'],
        ['', ''],
      ],
      bad: [1, [], {}],
    },
  ]
  test.each(rows)('$row', async ({ field, good, bad }) => {
    for (const [input, output] of good) {
      const { [field]: _, player_color_light, player_color_dark, ...others } = await read()
      const changed = await put({ [field]: input })
      expect(changed[field]).toEqual(output as object)
      expect(changed).toMatchObject(field === 'player_color' ? others : { ...others, player_color_light })
      expect(await read()).toEqual(changed)
    }
    const before = await read()
    for (const value of bad) {
      refused(await service.v1('PUT', path(), { body: { [field]: value } }), 400, 'invalid_input', field)
    }
    expect(await read()).toEqual(before)
  })

  test('4 `player_color_light`, `player_color_dark` and `webhook_url` cannot be set', async () => {
    const before = await read()
    const readOnlyFields = {
      player_color_light: '#111111',
      player_color_dark: '#222222',
      webhook_url: 'https://evil.example',
    }
    expect(await put({ ...readOnlyFields, id: UNKNOWN_ID })).toEqual(before)
    expect(await read()).toEqual(before)
  })

  test('4 all body fields are optional', async () => {
    const before = await read()
    expect(await put({})).toEqual(before)
    expect(ok(await service.v1('PUT', path())).organization).toEqual(before)
  })

  test('contract 2: a key with a narrower scope may not change the organization', async () => {
    const key = await makeKey(service, 'api', { collectionId: service.demo.collection_id })
    const answer = await service.v1('PUT', path(), { key, body: { name: 'mine' } })
    expect([403, 404]).toContain(answer.status)
    expect((await read()).name).not.toBe('mine')
  })
})
