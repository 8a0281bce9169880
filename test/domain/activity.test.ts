// Activity: who changed what in an organization.
import { afterEach, beforeAll, expect, test } from 'bun:test'
import { insertAdministrator } from '../../src/domain/access/administrator/service.ts'
import { createForeign, makeKey } from '../spec/support.ts'
import { codeOf, data, hire, post, signIn, sql } from '../support/administrators.ts'
import { tone } from '../support/audio.ts'
import { runTask } from '../support/jobs.ts'
import { type Json, uploadTrack, useTestService } from '../support/service.ts'

const DAY_MS = 86_400_000
const service = useTestService()
let owner: { token: string; administrator: { id: string; email: string } }
beforeAll(async () => {
  owner = (await signIn(service)) as typeof owner
})
afterEach(async () => {
  service.clock.now = null
  await service.services.db.activity.deleteMany()
})

const LIST = `query ($filter: ActivityFilter) { activities(first: 100, filter: $filter) { totalCount nodes {
  action record recordId recordName actorKind actorId actorName address requestId changes { field before after } } } }`
/** The newest first. */
const read = async (filter: object = {}, key = owner.token): Promise<Json[]> =>
  (await data(service, LIST, { filter }, key)).activities.nodes
const brief = (activities: Json[]) => activities.map(({ action, record, recordName }) => [action, record, recordName])

const createCollection = async (title: string, key = owner.token): Promise<string> => {
  const text = 'mutation ($title: String!) { createCollection(input: { title: $title }) { collection { id } } }'
  return (await data(service, text, { title }, key)).createCollection.collection.id
}
const UPDATE = `mutation ($id: ID!, $input: UpdateCollectionInput!) {
  updateCollection(id: $id, input: $input) { collection { id } } }`

test('a change by an administrator is recorded with its values, its author, the address and the request', async () => {
  const id = await createCollection('First')
  const from = { key: owner.token, address: '203.0.113.9' }
  const { headers } = await post(service, UPDATE, { id, input: { title: 'Second', author: 'Ada' } }, from)
  const [updated, created] = await read({ recordId: id })
  expect(updated).toEqual({
    action: 'UPDATED',
    record: 'COLLECTION',
    recordId: id,
    recordName: 'Second',
    actorKind: 'ADMINISTRATOR',
    actorId: owner.administrator.id,
    actorName: owner.administrator.email,
    address: '203.0.113.9',
    requestId: headers.get('x-request-id'),
    changes: expect.arrayContaining([
      { field: 'title', before: 'First', after: 'Second' },
      { field: 'author', before: null, after: 'Ada' },
    ]),
  })
  expect(updated.changes).toHaveLength(2)
  expect([created.action, created.recordName, created.changes]).toEqual(['CREATED', 'First', []])
})

test('a change through /v1 is recorded as that of its key, and a change without effect is not recorded', async () => {
  const { json } = await service.v1('POST', '/creator', { body: { organization_index: 'ada' } })
  const path = `/creator/${json.creator_id}`
  await service.v1('PUT', path, { body: { organization_index: 'ada' } })
  await service.v1('PUT', path, { body: { metadata: { a: 1 } } })
  await service.v1('DELETE', path)
  const activities = await read({ recordId: json.creator_id })
  expect(brief(activities)).toEqual([
    ['DELETED', 'CREATOR', 'ada'],
    ['UPDATED', 'CREATOR', 'ada'],
    ['CREATED', 'CREATOR', 'ada'],
  ])
  expect(activities[1].changes).toEqual([{ field: 'metadata', before: '{}', after: '{"a":1}' }])
  expect(new Set(activities.map(({ actorKind, actorName }) => `${actorKind} ${actorName}`)).size).toBe(1)
  expect(activities[0].actorKind).toBe('KEY')
})

test('what the service does by itself is not recorded: processing, and the upload of bytes', async () => {
  const trackId = await uploadTrack(service, await tone(1))
  await service.runJobs()
  expect((await read({ recordId: trackId })).map(({ action }) => action)).toEqual(['CREATED'])
})

test('secret and long values are not stored, only that they changed', async () => {
  const person = await hire(service, owner.token, 'admin')
  await data(
    service,
    'mutation ($id: ID!) { resetAdministratorPassword(id: $id) { administrator { id } } }',
    { id: person.id },
    owner.token,
  )
  const id = await createCollection('Long')
  await data(service, UPDATE, { id, input: { description: 'x'.repeat(501) } }, owner.token)
  await data(service, UPDATE, { id, input: { description: 'y'.repeat(500) } }, owner.token)
  await data(service, UPDATE, { id, input: { description: 'z'.repeat(500) } }, owner.token)
  const [last, former, first] = await read({ recordId: id })
  expect([first, former].map(({ changes }) => changes)).toEqual(
    [first, former].map(() => [{ field: 'description', before: null, after: null }]),
  )
  expect(last.changes[0].before).toBe('y'.repeat(500))
  const [reset] = await read({ recordId: person.id })
  expect(reset.changes).toContainEqual({ field: 'passwordHash', before: null, after: null })
  const { rows } = await sql(service, `SELECT count(*)::integer FROM activity WHERE changes::text LIKE '%argon2%'`)
  expect(rows).toEqual([{ count: 0 }])
})

test('signing in, creating and revoking keys are recorded', async () => {
  const person = await hire(service, owner.token, 'viewer')
  await signIn(service, person)
  const create = 'mutation { createApiKey(input: { title: "CI" }) { keyId } }'
  const { keyId } = (await data(service, create, {}, owner.token)).createApiKey
  await data(service, 'mutation ($id: ID!) { revokeKey(id: $id) { key { id } } }', { id: keyId }, owner.token)
  expect(brief(await read())).toEqual([
    ['REVOKED', 'KEY', 'CI'],
    ['CREATED', 'KEY', 'CI'],
    ['SIGNED_IN', 'ADMINISTRATOR', person.email],
    ['CREATED', 'ADMINISTRATOR', person.email],
  ])
})

test('a change that fails is not recorded', async () => {
  const input = { email: owner.administrator.email, role: 'ADMIN' }
  const create =
    'mutation ($input: CreateAdministratorInput!) { createAdministrator(input: $input) { administrator { id } } }'
  expect(codeOf(await post(service, create, { input }, { key: owner.token }))).toBe('email_taken')
  expect(await read()).toEqual([])
})

test('requests at once are recorded each with its own author', async () => {
  const other = (await signIn(service, await hire(service, owner.token, 'admin'))) as typeof owner
  const people = Array.from({ length: 20 }, (_, n) => (n % 2 ? owner : other))
  const ids = await Promise.all(people.map(({ token }, n) => createCollection(`At once ${n}`, token)))
  const activities = await read({ record: 'COLLECTION' })
  const authors = new Map(activities.map(({ recordId, actorId }) => [recordId, actorId]))
  expect(ids.map((id) => authors.get(id))).toEqual(people.map(({ administrator }) => administrator.id))
})

test('another organization and a key see nothing, and the role viewer no addresses', async () => {
  const id = await createCollection('Mine')
  const { organizationId } = await createForeign(service)
  const email = 'stranger@example.com'
  const { password } = await insertAdministrator(service.services, organizationId, { email, role: 'owner' })
  const stranger = (await signIn(service, { email, password })) as typeof owner
  expect(brief(await read({ record: 'ADMINISTRATOR' }, stranger.token))).toEqual([
    ['SIGNED_IN', 'ADMINISTRATOR', email],
  ])
  expect(await read({ recordId: id }, stranger.token)).toEqual([])
  const key = await makeKey(service, 'api')
  expect(codeOf(await post(service, LIST, {}, { key }))).toBe('forbidden')
  const viewer = (await signIn(service, await hire(service, owner.token, 'viewer'))) as typeof owner
  await post(service, UPDATE, { id, input: { author: 'Ada' } }, { key: owner.token, address: '203.0.113.9' })
  const addresses = await Promise.all(
    [owner, viewer].map(async ({ token }) => (await read({ recordId: id, action: 'UPDATED' }, token))[0].address),
  )
  expect(addresses).toEqual(['203.0.113.9', null])
})

test('filters', async () => {
  const first = await createCollection('Alpha')
  await createCollection('Beta')
  await data(service, UPDATE, { id: first, input: { title: 'Gamma' } }, owner.token)
  expect(brief(await read({ action: 'UPDATED' }))).toEqual([['UPDATED', 'COLLECTION', 'Gamma']])
  expect(brief(await read({ search: 'bet' }))).toEqual([['CREATED', 'COLLECTION', 'Beta']])
  expect(await read({ actorId: crypto.randomUUID() })).toEqual([])
  expect(await read({ record: 'TRACK' })).toEqual([])
  expect(await read({ createdUntil: new Date(Date.now() - DAY_MS).toISOString() })).toEqual([])
})

test('activity is deleted when it is older than ACTIVITY_KEPT_DAYS', async () => {
  await createCollection('Old')
  service.clock.now = new Date(Date.now() + 364 * DAY_MS)
  await runTask(service.services, 'forget_activity')
  const count = () => service.services.db.activity.count()
  expect(await count()).toBe(1)
  service.clock.now = new Date(Date.now() + 366 * DAY_MS)
  await runTask(service.services, 'forget_activity')
  expect(await count()).toBe(0)
})
