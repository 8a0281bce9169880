// Webhook settings: permissions, several endpoints and rotation of secrets (contract, section 7).
import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readWebhookSecrets } from '../../../src/domain/webhook/secret.ts'
import { codeOf, data, post, signIn, whileLocked } from '../../support/administrators.ts'
import { type Everybody, everybody } from '../../support/everybody.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService({ WEBHOOK_ALLOW_PRIVATE: 'off' })
let who: Everybody
beforeAll(async () => {
  who = await everybody(service)
})
afterEach(async () => {
  service.clock.now = null
  await service.services.db.webhookEndpoint.deleteMany()
})

const URL_A = 'https://hooks.example.com/a?b=c'
const FIELDS = `id organizationId url eventTypes isEnabled disabledAt disabledReason failingSince oldSecretExpiresAt
  deliveries { totalCount nodes { id } }`
const SET = `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) {
  secret webhookEndpoint { ${FIELDS} } } }`
const CREATE = `mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) {
  secret webhookEndpoint { ${FIELDS} } } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(id: $id, input: $input) {
  webhookEndpoint { ${FIELDS} } } }`
const DELETE = `mutation ($id: ID!) { deleteWebhookEndpoint(id: $id) { deletedWebhookEndpoint { ${FIELDS} } } }`
const ROTATE = `mutation ($id: ID) { rotateWebhookSecret(id: $id) { secret webhookEndpoint { id oldSecretExpiresAt } } }`
const FIRST = `{ webhook { ${FIELDS} } }`
const LIST = `{ webhookEndpoints { totalCount nodes { ${FIELDS} } } }`
const ONE = 'query ($id: ID!) { webhookEndpoint(id: $id) { id url } }'

const set = async (input: object, key = who.owner) => (await data(service, SET, { input }, key)).updateWebhook
const create = async (input: object, key = who.owner) =>
  (await data(service, CREATE, { input }, key)).createWebhookEndpoint
const update = async (id: string, input: object) =>
  (await data(service, UPDATE, { id, input }, who.owner)).updateWebhookEndpoint.webhookEndpoint
const rotate = async (id?: string) => (await data(service, ROTATE, { id }, who.owner)).rotateWebhookSecret
const first = async () => (await data(service, FIRST, {}, who.viewer)).webhook
const list = async (key = who.viewer) => (await data(service, LIST, {}, key)).webhookEndpoints
const webhookUrl = async () =>
  (await service.v1('GET', `/organization/${who.organizationId}`)).json.organization.webhook_url
const valid = async (id: string) =>
  readWebhookSecrets(service.services, await service.services.db.webhookEndpoint.findUniqueOrThrow({ where: { id } }))

describe('updateWebhook', () => {
  test('creates, changes and deletes the first endpoint', async () => {
    expect(await first()).toBeNull()
    expect(await webhookUrl()).toBeNull()
    const payload = await set({ url: URL_A })
    expect(payload.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const { id } = payload.webhookEndpoint
    expect(payload.webhookEndpoint).toEqual({
      id,
      organizationId: who.organizationId,
      url: URL_A,
      eventTypes: [],
      isEnabled: true,
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
      oldSecretExpiresAt: null,
      deliveries: { totalCount: 0, nodes: [] },
    })
    expect([await first(), await first(), await webhookUrl()]).toEqual([
      payload.webhookEndpoint,
      payload.webhookEndpoint,
      URL_A,
    ])
    const changed = await set({ eventTypes: ['TRACK_FILE_FAILED', 'COLLECTION_CREATED', 'TRACK_FILE_FAILED'] })
    expect(changed).toMatchObject({
      secret: null,
      webhookEndpoint: { id, url: URL_A, eventTypes: ['TRACK_FILE_FAILED', 'COLLECTION_CREATED'] },
    })
    expect((await set({ url: 'https://new.example.com' })).webhookEndpoint).toMatchObject({ id })
    expect(await webhookUrl()).toBe('https://new.example.com')
    expect(await set({ url: null })).toEqual({ secret: null, webhookEndpoint: null })
    expect([await first(), await webhookUrl()]).toEqual([null, null])
    expect(await set({ url: null })).toEqual({ secret: null, webhookEndpoint: null })
    expect(codeOf(await post(service, SET, { input: { isEnabled: true } }, { key: who.owner }))).toBe('invalid_input')
  })

  test('resets the state and keeps the secret when disabled and enabled again', async () => {
    const { secret, webhookEndpoint } = await set({ url: URL_A })
    const { db } = service.services
    const off = (await set({ isEnabled: false })).webhookEndpoint
    expect(off).toMatchObject({ isEnabled: false, disabledAt: expect.any(String), disabledReason: 'administrator' })
    await db.webhookEndpoint.updateMany({ data: { failingSince: new Date(), disabledReason: 'gone' } })
    expect((await set({ isEnabled: false })).webhookEndpoint).toMatchObject({ disabledReason: 'gone' })
    expect((await set({ isEnabled: true })).webhookEndpoint).toEqual(webhookEndpoint)
    await db.webhookEndpoint.updateMany({ data: { failingSince: new Date() } })
    expect((await set({ isEnabled: true })).webhookEndpoint.failingSince).not.toBeNull()
    expect(await valid(off.id)).toEqual([secret])
  })

  test('ten concurrent calls create one endpoint', async () => {
    const lock = 'SELECT 1 FROM organization WHERE id = $1 FOR NO KEY UPDATE'
    const urls = Array.from({ length: 10 }, (_, place) => `https://hooks.example.com/${place}`)
    const begin = () => Promise.all(urls.map((url) => set({ url })))
    // An organization has eight statements at a time.
    const answers = await whileLocked(service, [[lock, [who.organizationId]]], begin, 8)
    expect(answers.filter(({ secret }) => secret !== null)).toHaveLength(1)
    expect(new Set(answers.map(({ webhookEndpoint }) => webhookEndpoint.id)).size).toBe(1)
    expect((await list()).totalCount).toBe(1)
  })
})

describe('several endpoints', () => {
  test('lists endpoints oldest first; webhook returns the oldest', async () => {
    const one = (await create({ url: URL_A, eventTypes: ['COLLECTION_DELETED'], isEnabled: false })).webhookEndpoint
    const two = (await create({ url: 'https://two.example.com' })).webhookEndpoint
    expect(one).toMatchObject({ isEnabled: false, eventTypes: ['COLLECTION_DELETED'] })
    expect([await list(), await list()]).toEqual(Array(2).fill({ totalCount: 2, nodes: [one, two] }))
    expect(await first()).toEqual(one)
    expect(await data(service, ONE, { id: two.id }, who.admin)).toEqual({
      webhookEndpoint: { id: two.id, url: two.url },
    })
    expect(await update(two.id, { url: 'https://three.example.com' })).toMatchObject({
      eventTypes: [],
      isEnabled: true,
    })
    expect((await list()).nodes[0]).toEqual(one)
    const gone = await data(service, DELETE, { id: one.id }, who.owner)
    expect(gone.deleteWebhookEndpoint.deletedWebhookEndpoint).toEqual(one)
    expect(await webhookUrl()).toBe('https://three.example.com')
    expect(codeOf(await post(service, DELETE, { id: one.id }, { key: who.owner }))).toBe('not_found')
  })

  test('allows at most ten endpoints', async () => {
    for (let count = 0; count < 9; count++) await create({ url: URL_A })
    const two = await Promise.all(
      [1, 2].map(() => post(service, CREATE, { input: { url: URL_A } }, { key: who.owner })),
    )
    expect(two.map(codeOf).sort()).toEqual(['limit_reached', undefined] as string[])
    expect((await list()).totalCount).toBe(10)
  })
})

describe('secrets', () => {
  test('stores secrets encrypted and never shows them', async () => {
    const { secret, webhookEndpoint } = await set({ url: URL_A })
    const [row] = (await service.services.pool.query('SELECT * FROM webhook_endpoint')).rows
    expect(JSON.stringify(row)).not.toContain(secret.slice(6, 30))
    expect(await valid(webhookEndpoint.id)).toEqual([secret])
    const { __type } = await data(service, '{ __type(name: "WebhookEndpoint") { fields { name } } }', {}, who.owner)
    const names = __type.fields.map(({ name }: Json) => name)
    expect(names.filter((name: string) => /secret/i.test(name))).toEqual(['oldSecretExpiresAt'])
  })

  test('each previous secret signs for another 24 hours', async () => {
    const start = Date.now()
    const { owner } = who
    // A token works for minutes only.
    const at = async (hours: number) => {
      service.clock.now = new Date(start + hours * 3_600_000)
      who.owner = (await signIn(service)).token
    }
    await at(0)
    const { secret: a, webhookEndpoint } = await set({ url: URL_A })
    const { id } = webhookEndpoint
    const { secret: b, webhookEndpoint: rotated } = await rotate()
    expect(rotated).toEqual({ id, oldSecretExpiresAt: new Date(start + 24 * 3_600_000).toISOString() })
    expect(await valid(id)).toEqual([b, a])
    await at(12)
    const { secret: c } = await rotate(id)
    expect(await valid(id)).toEqual([c, b, a])
    await at(23.999)
    expect(await valid(id)).toEqual([c, b, a])
    await at(24)
    expect(await valid(id)).toEqual([c, b])
    await at(36)
    expect(await valid(id)).toEqual([c])
    expect((await data(service, FIRST, {}, who.owner)).webhook.oldSecretExpiresAt).toBeNull()
    const { secret: d } = await rotate(id)
    expect((await service.services.db.webhookEndpoint.findFirstOrThrow()).secrets).toHaveLength(2)
    expect(await valid(id)).toEqual([d, c])
    who.owner = owner
  })

  test('signs with every secret after five concurrent rotations', async () => {
    const { secret, webhookEndpoint } = await set({ url: URL_A })
    const lock = 'SELECT 1 FROM organization WHERE id = $1 FOR NO KEY UPDATE'
    const begin = () => Promise.all(Array.from({ length: 5 }, () => rotate()))
    const newSecrets = (await whileLocked(service, [[lock, [who.organizationId]]], begin, 5)).map(
      (answer) => answer.secret,
    )
    expect((await valid(webhookEndpoint.id)).sort()).toEqual([secret, ...newSecrets].sort())
    for (let turn = 0; turn < 6; turn++) await rotate()
    expect(await valid(webhookEndpoint.id)).toHaveLength(10)
  })

  test('signs with a secret that is stored unencrypted', async () => {
    const { organizationId } = who
    const { id } = await service.services.db.webhookEndpoint.create({
      data: { organizationId, url: URL_A, secrets: ['whsec_plain'] },
    })
    expect(await valid(id)).toEqual(['whsec_plain'])
    expect(await valid((await rotate(id)).webhookEndpoint.id)).toEqual([expect.any(String), 'whsec_plain'])
  })
})

describe('permissions', () => {
  const { input } = { input: { url: URL_A } }
  test('owners and admins change endpoints, viewers read them, keys neither', async () => {
    const { id } = (await set(input, who.admin)).webhookEndpoint
    const writes: [string, object][] = [
      [SET, { input }],
      [CREATE, { input }],
      [UPDATE, { id, input: {} }],
      [DELETE, { id }],
      [ROTATE, {}],
    ]
    const reads: [string, object][] = [
      [FIRST, {}],
      [LIST, {}],
      [ONE, { id }],
    ]
    const codes = async (calls: [string, object][], key: string | null) =>
      new Set(
        await Promise.all(
          calls.map(async ([query, variables]) => codeOf(await post(service, query, variables, { key }))),
        ),
      )
    expect(await codes(writes, who.viewer)).toEqual(new Set(['forbidden']))
    for (const key of [who.api, who.collectionKey, who.creatorKey, who.uploader]) {
      expect(await codes([...writes, ...reads], key)).toEqual(new Set(['forbidden']))
    }
    expect(await codes([...writes, ...reads], null)).toEqual(new Set(['unauthenticated']))
    expect(await codes(reads, who.viewer)).toEqual(new Set([undefined]))
    expect(await list()).toMatchObject({ totalCount: 1, nodes: [{ id, url: URL_A }] })
  })

  test('does not find endpoints of another organization', async () => {
    const { id } = (await set(input)).webhookEndpoint
    expect((await list(who.otherOwner)).totalCount).toBe(0)
    expect((await data(service, FIRST, {}, who.otherOwner)).webhook).toBeNull()
    const calls: [string, object][] = [
      [ONE, { id }],
      [UPDATE, { id, input: { isEnabled: false } }],
      [DELETE, { id }],
      [ROTATE, { id }],
      [ROTATE, {}],
    ]
    for (const [query, variables] of calls)
      expect(codeOf(await post(service, query, variables, { key: who.otherOwner })), query).toBe('not_found')
    expect((await first()).isEnabled).toBe(true)
  })
})
