// Keys in GraphQL: creating each kind, listing, reading and revoking them (contract, section 2).
import { beforeAll, describe, expect, test } from 'bun:test'
import { issueKey } from '../../../../src/domain/access/key/keys.ts'
import { createSigning } from '../../../../src/platform/identity/signing.ts'
import { codeOf, data, hire, post, signIn } from '../../../support/administrators.ts'
import { type Json, useTestService } from '../../../support/service.ts'
import { untilBlocked } from '../../../support/until.ts'

const service = useTestService()
let owner: string
let viewer: string
let api: string
let collectionId: string
beforeAll(async () => {
  owner = (await signIn(service)).token
  viewer = (await signIn(service, await hire(service, owner, 'viewer'))).token
  api = service.demo.api_key
  collectionId = service.demo.collection_id
})

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const LIST = `query ($first: Int, $filter: KeyFilter) { keys(first: $first, filter: $filter) {
  totalCount edges { node { id kind title revokedAt isActive } } } }`
const KEY = 'query ($id: ID!) { key(id: $id) { id kind title } }'
const REVOKE = 'mutation ($id: ID!) { revokeKey(id: $id) { key { id revokedAt isActive } } }'
const list = async (key: string, filter: object = {}) => (await data(service, LIST, { filter }, key)).keys
const kindsOf = (keys: Json): string[] => keys.edges.map(({ node }: Json) => node.kind)
const titlesOf = (keys: Json): string[] => keys.edges.map(({ node }: Json) => node.title)
const issue = async (kind: 'api' | 'uploader' | 'player', extra: object = {}) =>
  issueKey(service.services, service.demo.organization_id, kind, { title: `issued ${kind}`, ...extra })

describe('a key that is created while a transaction changes what it names', () => {
  /** Creates a key while a change by another transaction is not committed. */
  async function createDuring(body: object, change: string, values: unknown[]) {
    const { pool } = service.services
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      await client.query(change, values)
      const creating = service.v1('POST', '/api_key', { body: { title: 'concurrent', ...body } })
      await untilBlocked(pool)
      await client.query('COMMIT')
      return await creating
    } finally {
      client.release()
    }
  }
  const variantOf = (index: string) => service.services.db.variant.findFirstOrThrow({ where: { index } })

  test('has no index that its variant had before', async () => {
    const { id } = await variantOf('lq')
    const rename = 'UPDATE variant SET index = $2 WHERE id = $1'
    const player = { api_key_type_id: 'player' }
    const byIndex = await createDuring({ ...player, variants: ['lq'] }, rename, [id, 'renamed'])
    expect([byIndex.status, byIndex.json.message]).toEqual([404, 'variants: no such record'])
    expect((await createDuring({ ...player, variants: [id] }, rename, [id, 'lq'])).status).toBe(200)
    const keys = await service.services.db.apiKey.findMany({ where: { title: 'concurrent' } })
    expect(keys.map(({ variants }) => variants)).toEqual([['lq']])
  })

  test('is not limited to a track that has moved', async () => {
    const { json } = await service.v1('POST', '/track', { body: { collection_id: collectionId, file_name: 'a.wav' } })
    const other = await service.v1('POST', '/collection', { body: { title: 'Other' } })
    const body = { api_key_type_id: 'share', variants: ['hq'], collection_id: collectionId, track_id: json.track_id }
    const move = 'UPDATE track SET collection_id = $2 WHERE id = $1'
    const answer = await createDuring(body, move, [json.track_id, other.json.collection_id])
    expect([answer.status, answer.json.message]).toEqual([404, 'track_id: no such record'])
    const moved = await service.v1('POST', '/api_key', {
      body: { ...body, title: 'moved', collection_id: other.json.collection_id },
    })
    expect(moved.status).toBe(200)
  })
})

describe('creating keys', () => {
  const keyKinds: [kind: string, input: string, record: object][] = [
    ['Api', 'title: "t"', { kind: 'API', collectionId: null, variants: [] }],
    [
      'Uploader',
      'title: "t", expiresAt: "2999-01-01T00:00:00Z"',
      { kind: 'UPLOADER', expiresAt: '2999-01-01T00:00:00.000Z' },
    ],
    ['Player', 'title: "t", variants: ["lq", "hq"]', { kind: 'PLAYER', variants: ['lq', 'hq'] }],
    ['Share', 'title: "t", variant: "hq"', { kind: 'SHARE', variant: { index: 'hq' }, variants: [] }],
  ]
  test.each(keyKinds)('create%sKey returns the key, its ID and its record', async (name, input, record) => {
    const fields =
      'id kind title collectionId variants variant { index } expiresAt lastUsedAt revokedAt isActive organizationId'
    const query = `mutation { create${name}Key(input: { ${input} }) { key keyId record { ${fields} } } }`
    const { [`create${name}Key`]: payload } = await data(service, query, {}, owner)
    expect(payload.key).toMatch(new RegExp(`^[0-9a-f]{32}_${name.toLowerCase()}_[0-9A-Za-z]{49}$`))
    const { organization_id: organizationId } = service.demo
    const common = { id: payload.keyId, title: 't', lastUsedAt: null, revokedAt: null, isActive: true, organizationId }
    expect(payload.record).toMatchObject({ ...common, ...record })
  })

  test.each(['Uploader', 'Player'])(
    'create%sKey applies the rules, references and scope of POST /v1/api_key',
    async (name) => {
      const make = (input: string, key = api) =>
        post(
          service,
          `mutation { create${name}Key(input: { ${input} }) { record { collection { id } } } }`,
          {},
          { key },
        )
      const ok = await make(`title: "t", collectionId: "${collectionId}"`)
      expect(ok.json.data[`create${name}Key`].record.collection.id).toBe(collectionId)
      expect(codeOf(await make(`title: "t", collectionId: "${UNKNOWN}"`))).toBe('not_found')
      expect(codeOf(await make('title: ""'))).toBe('invalid_input')
      expect(codeOf(await make('title: "t", expiresAt: "2001-01-01T00:00:00Z"'))).toBe('invalid_input')
      expect(codeOf(await make('title: "t"', viewer))).toBe('forbidden')
      expect(codeOf(await make('title: "t"', (await issue('api', { collectionId })).key))).toBe('forbidden')
    },
  )

  test('only owners and admins create api keys', async () => {
    const make = 'mutation { createApiKey(input: { title: "x" }) { keyId } }'
    const codeFor = async (key: string) => codeOf(await post(service, make, {}, { key }))
    expect({ viewer: await codeFor(viewer), api: await codeFor(api) }).toEqual({
      viewer: 'forbidden',
      api: 'forbidden',
    })
  })

  test('only a share key itself can be read again, and no hash', async () => {
    const { __type } = await data(service, '{ __type(name: "Key") { fields { name } } }', {}, owner)
    const names = __type.fields.map(({ name }: Json) => name)
    expect(names).toContain('title')
    expect(names.filter((name: string) => /hash|key|secret|sealed/i.test(name))).toEqual(['shareKey'])
  })
})

describe('a share key that is shown again', () => {
  const SHARE_KEY = 'query ($id: ID!) { key(id: $id) { title shareKey } }'
  const shareKeyOf = async (id: string, viewerKey = owner) =>
    (await data(service, SHARE_KEY, { id }, viewerKey)).key.shareKey
  const createShare = async (title: string) => {
    const body = { title, api_key_type_id: 'share', variants: ['hq'] }
    const { json } = await service.v1('POST', '/api_key', { body })
    return { id: json.api_key_id as string, key: json.api_key as string }
  }

  test('is the same text, however the key was created', async () => {
    const byRest = await createShare('by REST')
    const input = '{ title: "by GraphQL", variant: "hq" }'
    const { createShareKey } = await data(
      service,
      `mutation { createShareKey(input: ${input}) { key keyId record { shareKey } } }`,
      {},
      owner,
    )
    expect(createShareKey.record.shareKey).toBe(createShareKey.key)
    expect(await shareKeyOf(byRest.id)).toBe(byRest.key)
    const first = await service.services.db.apiKey.findFirstOrThrow({ where: { title: 'Demo, hq' } })
    expect(await shareKeyOf(first.id)).toBe(service.demo.share_key)
  })

  test('is stored encrypted', async () => {
    const { id, key } = await createShare('stored')
    const { rows } = await service.services.pool.query('SELECT k::text AS row FROM api_key k WHERE id = $1', [id])
    expect(rows[0].row).toContain('stored')
    expect(rows[0].row).not.toContain(key.slice(-49))
  })

  test.each([
    ['of an earlier release', null],
    ['restored with another root secret', createSigning('another secret').seal('a key')],
    ['damaged', 'AAAA'],
  ])('is null in a list that is otherwise whole: %s', async (title, sealedKey) => {
    const [stored, readable] = [await createShare(title), await createShare(`next to one ${title}`)]
    await service.services.db.apiKey.update({ where: { id: stored.id }, data: { sealedKey } })
    const query = 'query ($search: String) { keys(filter: { search: $search }) { nodes { title shareKey } } }'
    const { keys } = await data(service, query, { search: title }, owner)
    expect(keys.nodes).toEqual([
      { title: `next to one ${title}`, shareKey: readable.key },
      { title, shareKey: null },
    ])
  })

  test('cannot be a key of another kind', async () => {
    const { record } = await issue('api')
    const update = service.services.db.apiKey.update({ where: { id: record.id }, data: { sealedKey: 'x' } })
    expect(await update.catch(String)).toContain('api_key_sealed_is_share')
  })
})

describe('access to keys', () => {
  test('administrators of any role see all keys', async () => {
    for (const key of [owner, viewer]) expect(kindsOf(await list(key))).toContain('API')
    const { record } = await issue('api')
    expect((await data(service, KEY, { id: record.id }, viewer)).key.kind).toBe('API')
  })

  test('an api key sees the kinds that it may create, not its own kind', async () => {
    const keys = await list(api)
    expect(new Set(kindsOf(keys))).toEqual(new Set(['SHARE', 'UPLOADER', 'PLAYER']))
    expect(keys.totalCount).toBe((await list(owner)).totalCount - (await list(owner, { kind: 'API' })).totalCount)
    expect(codeOf(await post(service, LIST, { filter: { kind: 'API' } }, { key: api }))).toBe('forbidden')
    const { record } = await issue('api')
    expect(codeOf(await post(service, KEY, { id: record.id }, { key: api }))).toBe('forbidden')
  })

  test('refuses keys with a scope, keys of other kinds and unauthenticated clients', async () => {
    const scoped = await issue('api', { collectionId })
    const uploader = await issue('uploader')
    const codesFor = async (key: string) => ({
      list: codeOf(await post(service, LIST, {}, { key })),
      key: codeOf(await post(service, KEY, { id: uploader.record.id }, { key })),
      revoke: codeOf(await post(service, REVOKE, { id: uploader.record.id }, { key })),
    })
    const forbidden = { list: 'forbidden', key: 'forbidden', revoke: 'forbidden' }
    const codes = { scoped: await codesFor(scoped.key), uploader: await codesFor(uploader.key) }
    expect(codes).toEqual({ scoped: forbidden, uploader: forbidden })
    const anonymous = [await post(service, LIST, {}), await post(service, '{ key(id: "x") { id } }', {})]
    expect(anonymous.map(codeOf)).toEqual(['unauthenticated', 'unauthenticated'])
  })

  test('does not find keys of another organization', async () => {
    const { db } = service.services
    const other = await db.organization.create({ data: { name: 'Other', domain: 'x', signingSecrets: ['x'] } })
    const { record } = await issueKey(service.services, other.id, 'uploader', { title: 'foreign' })
    for (const query of [KEY, REVOKE]) {
      for (const key of [owner, api])
        expect(codeOf(await post(service, query, { id: record.id }, { key }))).toBe('not_found')
    }
    expect(titlesOf(await list(owner, {}))).not.toContain('foreign')
    expect((await db.apiKey.findUniqueOrThrow({ where: { id: record.id } })).revokedAt).toBeNull()
    for (const id of [UNKNOWN, 'x'])
      expect(['not_found', 'invalid_input']).toContain(codeOf(await post(service, KEY, { id }, { key: owner })) ?? '')
  })
})

describe('the list of keys', () => {
  test('filters by kind, revocation and title', async () => {
    const { record } = await issue('player', { title: 'The 100% Player_1' })
    await data(service, REVOKE, { id: record.id }, owner)
    expect(new Set(kindsOf(await list(owner, { kind: 'PLAYER' })))).toEqual(new Set(['PLAYER']))
    expect(titlesOf(await list(owner, { isRevoked: true }))).toEqual(['The 100% Player_1'])
    expect(titlesOf(await list(owner, { isRevoked: false }))).not.toContain('The 100% Player_1')
    expect(titlesOf(await list(owner, { search: '100% pLAY' }))).toEqual(['The 100% Player_1'])
    for (const search of ['%', '_', '\\']) {
      const expected = search === '\\' ? [] : ['The 100% Player_1']
      expect(titlesOf(await list(owner, { search })), search).toEqual(expected)
    }
    expect((await list(owner, { kind: 'PLAYER', isRevoked: false, search: '100%' })).totalCount).toBe(0)
    expect(codeOf(await post(service, LIST, { filter: { search: 'x'.repeat(201) } }, { key: owner }))).toBe(
      'invalid_input',
    )
  })

  test('filters by any of several kinds, within what the viewer may see', async () => {
    await issue('uploader')
    expect(new Set(kindsOf(await list(owner, { kinds: ['API', 'UPLOADER'] })))).toEqual(new Set(['API', 'UPLOADER']))
    expect(new Set(kindsOf(await list(api, { kinds: ['SHARE', 'UPLOADER'] })))).toEqual(new Set(['SHARE', 'UPLOADER']))
    expect((await list(owner, { kinds: ['UPLOADER'], kind: 'PLAYER' })).totalCount).toBe(0)
    expect((await list(owner, { kinds: [] })).totalCount).toBe(0)
    const refused = await post(service, LIST, { filter: { kinds: ['SHARE', 'API'] } }, { key: api })
    expect(codeOf(refused)).toBe('forbidden')
  })

  test('filters by the collection and the track that keys are limited to', async () => {
    const { json } = await service.v1('POST', '/track', { body: { collection_id: collectionId, file_name: 'b.wav' } })
    const other = await service.v1('POST', '/collection', { body: { title: 'Limits' } })
    await issue('player', { title: 'of the collection', collectionId: other.json.collection_id })
    const trackKey = { title: 'of the track', collectionId, trackId: json.track_id }
    await issue('player', trackKey)
    expect(titlesOf(await list(owner, { collectionId: other.json.collection_id }))).toEqual(['of the collection'])
    expect(titlesOf(await list(api, { trackId: json.track_id }))).toEqual(['of the track'])
    expect(titlesOf(await list(owner, { collectionId }))).toContain('of the track')
    expect(titlesOf(await list(owner, { trackId: UNKNOWN }))).toEqual([])
  })

  test('lists the newest first, with at most 200 per page', async () => {
    const [{ record: older }, { record: newer }] = [await issue('uploader'), await issue('uploader')]
    const ids = (await list(owner)).edges.map(({ node }: Json) => node.id)
    expect(ids.indexOf(newer.id)).toBeLessThan(ids.indexOf(older.id))
    for (const first of [0, 201])
      expect(codeOf(await post(service, LIST, { first }, { key: owner }))).toBe('invalid_input')
    expect((await data(service, LIST, { first: 1 }, owner)).keys.edges).toHaveLength(1)
  })
})

describe('revokeKey', () => {
  test('revokes an api key from the next request; revoking it again changes nothing', async () => {
    const { key, record } = await issue('api')
    expect((await service.v1('GET', '/creator', { key })).status).toBe(200)
    const first = (await data(service, REVOKE, { id: record.id }, owner)).revokeKey.key
    expect(first).toEqual({ id: record.id, revokedAt: expect.any(String), isActive: false })
    expect((await service.v1('GET', '/creator', { key })).status).toBe(401)
    expect((await data(service, REVOKE, { id: record.id }, owner)).revokeKey.key).toEqual(first)
  })

  test('an api key revokes the kinds that it may create; a viewer revokes no key', async () => {
    const { record } = await issue('uploader')
    expect(codeOf(await post(service, REVOKE, { id: record.id }, { key: viewer }))).toBe('forbidden')
    expect((await data(service, REVOKE, { id: record.id }, api)).revokeKey.key.isActive).toBe(false)
    const other = await issue('api')
    expect(codeOf(await post(service, REVOKE, { id: other.record.id }, { key: api }))).toBe('forbidden')
    expect((await service.v1('GET', '/creator', { key: other.key })).status).toBe(200)
  })
})

describe('fields of a key', () => {
  test('isActive is true until the key expires', async () => {
    const expiresAt = new Date(Date.now() + 60_000)
    const { record } = await issue('player', { expiresAt })
    const { token } = await signIn(service)
    const isActive = async (now: Date | null) => {
      service.clock.now = now
      const { key } = await data(service, 'query ($id: ID!) { key(id: $id) { isActive } }', { id: record.id }, token)
      service.clock.now = null
      return key.isActive
    }
    expect(await isActive(new Date(expiresAt.getTime() - 1))).toBe(true)
    expect(await isActive(expiresAt)).toBe(false)
  })

  test('shows the records that it is limited to, until they are deleted', async () => {
    const response = await service.v1('POST', '/collection', { body: { title: 'Short-lived' } })
    const id = response.json.collection_id
    const { record } = await issue('uploader', { collectionId: id })
    const query = 'query ($id: ID!) { key(id: $id) { collectionId collection { title } track { id } creator { id } } }'
    const read = async () => (await data(service, query, { id: record.id }, owner)).key
    const none = { track: null, creator: null }
    expect(await read()).toEqual({ collectionId: id, collection: { title: 'Short-lived' }, ...none })
    await service.v1('DELETE', `/collection/${id}`)
    expect(await read()).toEqual({ collectionId: id, collection: null, ...none })
  })
})
