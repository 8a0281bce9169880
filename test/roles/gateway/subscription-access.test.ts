import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { issueKey } from '../../../src/domain/access/key/keys.ts'
import { sealSecret } from '../../../src/domain/delivery/secret.ts'
import { data, hire, signIn } from '../../support/administrators.ts'
import { createTrack, setStatus, startReplica } from '../../support/live.ts'
import { useTestService } from '../../support/service.ts'
import { type Subscriber, subscribe, WATCH } from '../../support/subscriber.ts'

afterAll(() => replica.stop())
const service = useTestService({ SUBSCRIPTION_CHECK_SECONDS: '0.1' })
let replica: ReturnType<typeof startReplica>
beforeAll(async () => {
  replica = startReplica(service)
}, 60_000)
afterEach(() => {
  service.clock.now = null
})
const watch = (key: string, variables: object = {}) => subscribe(replica.url, { key, variables })
const issue = async (scope: object = {}, organizationId = service.demo.organization_id) =>
  issueKey(service.services, organizationId, 'api', { title: 'x', ...scope })
/** Returns the error of a rejected or ended subscription. */
const codeOf = async (client: Subscriber) => {
  await client.ended()
  return client.received.at(-1)?.errors?.[0].extensions.code
}

describe('the stream ends with `unauthenticated` and sends nothing more when', () => {
  let trackId: string
  beforeAll(async () => {
    trackId = await createTrack(service)
  })
  async function expectEnd(key: string, take: () => unknown) {
    const client = watch(key, { trackId })
    await client.change('the state of now', () => true)
    await take()
    expect(await codeOf(client)).toBe('unauthenticated')
    expect(replica.notifications.count()).toBe(0)
    expect(await codeOf(watch(key, { trackId })).catch(() => 'refused')).toBeUndefined()
  }

  test('the key is revoked', async () => {
    const { key, record } = await issue()
    await expectEnd(key, () =>
      service.services.db.apiKey.update({ where: { id: record.id }, data: { revokedAt: new Date() } }),
    )
  })

  test('the key expires', async () => {
    const { key } = await issue({ expiresAt: new Date(Date.now() + 60_000) })
    await expectEnd(key, () => {
      service.clock.now = new Date(Date.now() + 61_000)
    })
  })

  test('the administrator signs out', async () => {
    const { token } = await signIn(service)
    await expectEnd(token, () => data(service, 'mutation { signOut { __typename } }', {}, token))
  })

  test('the token expires', async () => {
    const { token, expiresAt } = await signIn(service)
    await expectEnd(token, () => {
      service.clock.now = new Date(Date.parse(expiresAt) + 1000)
    })
  })
})

test('an administrator of any role may subscribe; the stream lasts with the session', async () => {
  const owner = await signIn(service)
  const viewer = await hire(service, owner.token, 'viewer')
  const { token } = await signIn(service, viewer)
  const trackId = await createTrack(service)
  const client = watch(token, { trackId })
  await client.change('the state of now', () => true)
  const identified = Promise.withResolvers<void>()
  const { administrator } = service.services.db
  const { findFirst } = administrator
  let checks = 0
  const counted = (...args: Parameters<typeof findFirst>) => {
    checks += 1
    if (checks >= 3) identified.resolve()
    return findFirst.apply(administrator, args)
  }
  Object.assign(administrator, { findFirst: counted })
  await identified.promise.finally(() => Object.assign(administrator, { findFirst }))
  await setStatus(service, trackId, 'ready')
  await client.change('the end', ({ isFinal }) => isFinal)
  client.leave()
})

describe('subscriptions are authorized', () => {
  test('no stream without a key, or with a key other than an api key', async () => {
    const share = await issueKey(service.services, service.demo.organization_id, 'player', { title: 'x' })
    expect(await codeOf(watch(share.key))).toBe('forbidden')
    const { json } = await service.request('POST', '/graphql', { body: { query: WATCH }, key: null })
    expect(json.errors[0].extensions.code).toBe('unauthenticated')
  })

  test('tracks and collections that are unknown, deleted or of another organization are not found', async () => {
    const other = await service.services.db.organization.create({
      data: { name: 'Other', domain: 'other.test', signingSecrets: [sealSecret(service.services, 'x')] },
    })
    const foreign = await issue({}, other.id)
    const { collection_id: collectionId } = service.demo
    const trackId = await createTrack(service)
    const { json } = await service.v1('POST', '/collection', { body: { title: 'Empty' } })
    const deleted = await createTrack(service)
    await service.v1('DELETE', `/track/${deleted}`)
    for (const [key, variables] of [
      [foreign.key, { trackId }],
      [foreign.key, { collectionId }],
      [service.demo.api_key, { trackId: deleted }],
      [service.demo.api_key, { trackId: crypto.randomUUID() }],
      [service.demo.api_key, { collectionId: crypto.randomUUID() }],
      [service.demo.api_key, { trackId, collectionId: json.collection.id }],
    ] as const) {
      expect(await codeOf(watch(key, variables))).toBe('not_found')
    }
    expect(await codeOf(watch(service.demo.api_key, { trackId: 'x' }))).toBe('invalid_input')
    expect(await codeOf(watch(service.demo.api_key, { since: 'yesterday' }))).toBe('invalid_input')
  })

  test('a key of a creator or a collection gets changes of its scope only', async () => {
    const { json: reply } = await service.v1('POST', '/creator', { body: { organization_index: 'singer' } })
    const creatorId = reply.creator.id
    const body = { title: 'Hers', creator_id: creatorId }
    const collectionId = (await service.v1('POST', '/collection', { body })).json.collection.id
    const ofCreator = watch((await issue({ creatorId })).key)
    const ofCollection = watch((await issue({ collectionId })).key)
    await Promise.all([ofCreator.connected(), ofCollection.connected()])
    const theirs = await createTrack(service)
    const hers = await createTrack(service, collectionId)
    for (const client of [ofCreator, ofCollection]) {
      await client.change('hers', ({ trackId }) => trackId === hers)
      expect(client.changes().map(({ trackId }) => trackId)).not.toContain(theirs)
      client.leave()
    }
    expect(await codeOf(watch((await issue({ creatorId })).key, { trackId: theirs }))).toBe('not_found')
    const all = watch(service.demo.api_key, { collectionId })
    await all.connected()
    const notHers = await createTrack(service, collectionId)
    // A change that was published before the move must not arrive later.
    await all.change('not hers', ({ trackId }) => trackId === notHers)
    all.leave()
    await service.services.pool.query('UPDATE track SET creator_id = NULL WHERE id = $1', [notHers])
    const inCollection = watch((await issue({ creatorId })).key, { collectionId })
    await inCollection.change('hers', ({ trackId }) => trackId === hers)
    await setStatus(service, notHers, 'ready')
    await setStatus(service, hers, 'ready')
    await inCollection.change('hers again', ({ isFinal }) => isFinal)
    expect(inCollection.changes().map(({ trackId }) => trackId)).not.toContain(notHers)
    inCollection.leave()
  })
})

test('a key may have 100 open subscriptions; another key has its own limit', async () => {
  const [{ key }, { key: other }] = [await issue(), await issue()]
  const trackId = await createTrack(service)
  const clients = Array.from({ length: 100 }, () => watch(key, { trackId }))
  await Promise.all(clients.map((client) => client.change('the state of now', () => true)))
  expect(await codeOf(watch(key, { trackId }))).toBe('rate_limited')
  const another = watch(other, { trackId })
  await another.change('the state of now', () => true)
  for (const client of [...clients, another]) client.leave()
}, 60_000)
