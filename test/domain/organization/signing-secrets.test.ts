// The domain and the signing secrets of an organization. A rotation leaves time to configure CDNs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createHash, createHmac } from 'node:crypto'
import { openSecret, sealSecret } from '../../../src/domain/delivery/secret.ts'
import { createOrganization } from '../../../src/domain/organization/service.ts'
import { codeOf, data, post, signIn, whileLocked } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { type Everybody, everybody } from '../../support/everybody.ts'
import { processed } from '../../support/processed.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { deliverySecrets } from '../../support/signing-secret.ts'

const service = useTestService()
let who: Everybody
let trackId: string
const FIRST = 'the-first-secret'
const start = Date.now()
/** Sets the clock, in seconds from the start. The owner signs in again: a token is valid for minutes. */
const at = async (seconds: number) => {
  service.clock.now = new Date(start + seconds * 1000)
  who.owner = (await signIn(service)).token
}
beforeAll(async () => {
  who = await everybody(service)
  trackId = (await processed(service, await tone(1), 'signed.wav')).id
})

/** Removes all secrets but the first. */
async function reset() {
  const { db } = service.services
  await db.signingSecret.deleteMany()
  await db.organization.update({
    where: { id: who.organizationId },
    data: { signingSecrets: [sealSecret(service.services, FIRST)] },
  })
}

const idOf = (secret: string) => createHash('sha256').update(secret).digest('hex').slice(0, 16)
const SHOWN = 'id position isSigning createdAt signedUntil'
const LIST = `query ($organizationId: ID!) { organization(id: $organizationId) { domain signingSecrets { ${SHOWN} } } }`
const ADD = `mutation ($organizationId: ID!) { addSigningSecret(organizationId: $organizationId) {
  secret signingSecret { ${SHOWN} } organization { signingSecrets { id } } } }`
const ACTIVATE = `mutation ($organizationId: ID!, $id: ID!) {
  activateSigningSecret(organizationId: $organizationId, id: $id) { signingSecret { ${SHOWN} } } }`
const REMOVE = `mutation ($organizationId: ID!, $id: ID!, $isForced: Boolean) {
  removeSigningSecret(organizationId: $organizationId, id: $id, isForced: $isForced) {
    removedSigningSecret { ${SHOWN} } organization { signingSecrets { id } } } }`
const DOMAIN = `mutation ($organizationId: ID!, $domain: String!) {
  updateOrganizationDomain(id: $organizationId, domain: $domain) { organization { domain } } }`

const run = async (query: string, variables: object = {}, key = who.owner) =>
  data(service, query, { organizationId: who.organizationId, ...variables }, key)
const refused = async (query: string, variables: object = {}, key: string | null = who.owner) =>
  codeOf(await post(service, query, { organizationId: who.organizationId, ...variables }, { key }))
const list = async (): Promise<Json[]> => (await run(LIST)).organization.signingSecrets
const add = async (): Promise<Json> => (await run(ADD)).addSigningSecret
const activate = async (id: string) => (await run(ACTIVATE, { id })).activateSigningSecret.signingSecret
const stream = async () =>
  (await service.request('GET', `/v1/stream/${trackId}/${service.demo.share_key}`)).headers.get('location') ?? ''
const deliver = async (url: string) => (await service.fetchEdge(new URL(url).pathname + new URL(url).search)).status

describe('signing secrets', () => {
  beforeEach(async () => {
    await reset()
    await at(0)
  })
  afterAll(() => {
    service.clock.now = null
  })

  test('are listed without their values; one without stored times is as old as the organization', async () => {
    const { createdAt } = await service.services.db.organization.findUniqueOrThrow({
      where: { id: who.organizationId },
    })
    const only = { id: idOf(FIRST), position: 0, isSigning: true, signedUntil: null }
    expect([await list(), await list()]).toEqual(Array(2).fill([{ ...only, createdAt: createdAt.toISOString() }]))
    const { __type } = await data(service, '{ __type(name: "SigningSecret") { fields { name } } }', {}, who.owner)
    expect(__type.fields.map(({ name }: Json) => name).sort()).toEqual(SHOWN.split(' ').sort())
  })

  test('are rotated without a failing address', async () => {
    const before = await stream()
    const { secret, signingSecret, organization } = await add()
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const createdAt = new Date(start).toISOString()
    const added = { id: idOf(secret), position: 1, isSigning: false, createdAt, signedUntil: null }
    expect(signingSecret).toEqual(added)
    expect(organization.signingSecrets.map(({ id }: Json) => id)).toEqual([idOf(FIRST), added.id])
    expect(await stream()).toBe(before)

    await at(60)
    const last = await stream()
    expect(await activate(added.id)).toEqual({ ...added, position: 0, isSigning: true })
    const after = await stream()
    expect(after).not.toBe(last)
    expect([await deliver(before), await deliver(last), await deliver(after)]).toEqual([200, 200, 200])
    const [, old] = await list()
    expect(old).toMatchObject({ id: idOf(FIRST), position: 1, signedUntil: new Date(start + 60_000).toISOString() })

    await at(60 + 3600)
    expect(await deliver(last)).toBe(200)
    expect(await refused(REMOVE, { id: old.id })).toBe('signing_secret_in_use')
    await at(60 + 3601)
    expect(await deliver(last)).toBe(410)
    const { removedSigningSecret, organization: organizationAfter } = (await run(REMOVE, { id: old.id }))
      .removeSigningSecret
    expect(removedSigningSecret).toEqual(old)
    expect(organizationAfter.signingSecrets).toEqual([{ id: added.id }])
    expect(await list()).toEqual([{ ...added, position: 0, isSigning: true }])
  })

  test('refuse to remove the one that signs, and remove one that never signed', async () => {
    for (const isForced of [false, true])
      expect(await refused(REMOVE, { id: idOf(FIRST), isForced })).toBe('signing_secret_in_use')
    const { signingSecret } = await add()
    await run(REMOVE, { id: signingSecret.id })
    expect((await list()).map(({ id }) => id)).toEqual([idOf(FIRST)])
    expect(await refused(REMOVE, { id: signingSecret.id })).toBe('not_found')
  })

  test('are removed at once by force, together with the addresses that they signed', async () => {
    const address = await stream()
    const { signingSecret } = await add()
    await activate(signingSecret.id)
    await run(REMOVE, { id: idOf(FIRST), isForced: true })
    expect(await deliver(address)).toBe(403)
    expect(await deliver(await stream())).toBe(200)
  })

  test('clear signedUntil when activated again', async () => {
    const { signingSecret } = await add()
    await activate(signingSecret.id)
    expect(await activate(signingSecret.id)).toMatchObject({ position: 0, signedUntil: null })
    await at(10)
    expect(await activate(idOf(FIRST))).toMatchObject({ position: 0, isSigning: true, signedUntil: null })
    expect((await list()).map(({ id, signedUntil }) => [id, signedUntil])).toEqual([
      [idOf(FIRST), null],
      [signingSecret.id, new Date(start + 10_000).toISOString()],
    ])
    expect(await stream()).toContain('verify=')
  })

  test('lose no secret in concurrent additions, and are five at most', async () => {
    const lock = 'SELECT 1 FROM organization WHERE id = $1 FOR NO KEY UPDATE'
    const begin = () =>
      Promise.all(
        Array.from({ length: 6 }, () => post(service, ADD, { organizationId: who.organizationId }, { key: who.owner })),
      )
    const answers = await whileLocked(service, [[lock, [who.organizationId]]], begin, 6)
    const codes = answers.map((answer) => codeOf(answer) ?? 'made').sort()
    expect(codes).toEqual(['limit_reached', 'limit_reached', 'made', 'made', 'made', 'made'])
    const addedIds = answers.flatMap(({ json }) => (json.errors ? [] : [json.data.addSigningSecret.signingSecret.id]))
    const ids = (await list()).map(({ id }) => id)
    expect(ids[0]).toBe(idOf(FIRST))
    expect(ids.slice(1).sort()).toEqual(addedIds.sort())
    await Promise.all(addedIds.map((id) => activate(id)))
    const after = await list()
    expect(after.map(({ id }) => id).sort()).toEqual(ids.sort())
    expect(after.filter(({ isSigning }) => isSigning)).toHaveLength(1)
    expect(after.filter(({ signedUntil }) => signedUntil === null)).toHaveLength(1)
  })
})

describe('in the database', () => {
  const stored = async () =>
    (await service.services.db.organization.findUniqueOrThrow({ where: { id: who.organizationId } })).signingSecrets
  beforeEach(async () => {
    await reset()
    await at(0)
  })

  test('a new secret is encrypted, and signs and verifies like any other', async () => {
    const { secret, signingSecret } = await add()
    const added = (await stored())[1] ?? ''
    expect(added).not.toContain(secret)
    expect(await deliverySecrets(service, who.organizationId)).toEqual([FIRST, secret])
    await activate(signingSecret.id)
    const url = new URL(await stream())
    const [issued = '', mac] = (url.searchParams.get('verify') ?? '').split(/-(.*)/)
    expect(mac).toBe(createHmac('sha256', secret).update(`${url.pathname}${issued}`).digest('base64url'))
    expect(await deliver(url.href)).toBe(200)
    // A change of the list encrypts nothing again.
    expect((await stored())[0]).toBe(added)
  })

  test('the secret of a new organization is encrypted', async () => {
    const { signingSecrets } = await createOrganization(service.services, 'New')
    const [stored = ''] = signingSecrets
    expect(openSecret(service.services, stored)).toMatch(/^[\w-]{43}$/)
    expect(stored).not.toContain(openSecret(service.services, stored))
  })

  test('a secret is decrypted once in a process', async () => {
    const { signing } = service.services
    let count = 0
    const unseal = (text: string) => {
      count += 1
      return signing.unseal(text)
    }
    const counting = { ...signing, unseal }
    const sealed = sealSecret(service.services, 'x')
    for (let times = 0; times < 3; times++) expect(openSecret({ signing: counting }, sealed)).toBe('x')
    expect(count).toBe(1)
  })
})

describe('updateOrganizationDomain', () => {
  const long = `${'a'.repeat(63)}.`.repeat(4).slice(0, 253)
  test.each([
    ['cdn.example.com', 'cdn.example.com'],
    ['CDN.Example.COM:8443', 'cdn.example.com:8443'],
    ['localhost:3001', 'localhost:3001'],
    ['192.0.2.1:80', '192.0.2.1:80'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    [long, long],
  ])('%s is accepted and used in new addresses', async (domain, expected) => {
    expect((await run(DOMAIN, { domain })).updateOrganizationDomain.organization).toEqual({ domain: expected })
    expect(await stream()).toStartWith(`http://${expected}/`)
  })

  test.each([
    '',
    'https://cdn.example.com',
    'cdn.example.com/',
    'cdn.example.com/a',
    'user@cdn.example.com',
    'a b',
    'a..b',
    '.a',
    'a.',
    '-a.example',
    'a-.example',
    'a_b.example',
    'bücher.example',
    '[::1]',
    '127.1',
    '999.1.1.1',
    '1',
    'a:',
    'a:0',
    'a:65536',
    'a:080',
    'a:b',
    'a:1:2',
    'a\n',
    '*.example.com',
    `${'a'.repeat(64)}.b`,
    `${long}a`,
  ])('%j is refused', async (domain) => {
    expect(await refused(DOMAIN, { domain })).toBe('invalid_input')
  })
})

describe('permissions', () => {
  const calls: [string, object][] = [
    [ADD, {}],
    [ACTIVATE, { id: idOf(FIRST) }],
    [REMOVE, { id: idOf(FIRST) }],
    [DOMAIN, { domain: 'x.example' }],
  ]
  beforeAll(async () => {
    await reset()
  })
  test('let owners and admins change, viewers read, keys do neither', async () => {
    for (const [query, variables] of calls) {
      for (const key of [who.viewer, who.api, who.collectionKey, who.creatorKey, who.uploader])
        expect(await refused(query, variables, key), query).toBe('forbidden')
      expect(await refused(query, variables, null)).toBe('unauthenticated')
      expect(await refused(query, variables, who.otherOwner)).toBe('not_found')
    }
    expect((await run(LIST, {}, who.viewer)).organization.signingSecrets).toHaveLength(1)
    expect(await refused(LIST, {}, who.api)).toBe('forbidden')
    expect((await run(ADD, {}, who.admin)).addSigningSecret.signingSecret.position).toBe(1)
    expect(await refused(LIST, {}, who.otherOwner)).toBe('not_found')
  })

  test.each([ACTIVATE, REMOVE])('a malformed id is invalid_input and an unknown one not_found: %s', async (query) => {
    expect(await refused(query, { id: 'x' })).toBe('invalid_input')
    expect(await refused(query, { id: idOf('other') })).toBe('not_found')
    expect(await refused(query, { id: idOf(FIRST), organizationId: 'x' })).toBe('invalid_input')
  })
})
