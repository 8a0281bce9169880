// Passkeys: their creation by a person with a password, and the sign-in with their signature.
import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { codeOf, data, hire, isAlive, type Person, post, signIn, sql } from '../../support/administrators.ts'
import { type Authenticator, createAuthenticator, type Deviation } from '../../support/passkey.ts'
import { codeNow, enableFactor } from '../../support/second-factor.ts'
import { type Answer, useTestService } from '../../support/service.ts'

const service = useTestService()
let owner: string
let origin: string
beforeAll(async () => {
  owner = (await signIn(service)).token
  origin = new URL(service.services.config.publicUrl).origin
})
afterEach(() => {
  service.clock.now = null
})

const PREPARE = `mutation ($password: String!, $code: String) {
  preparePasskey(password: $password, code: $code) { setup challenge host } }`
const ADD = 'mutation ($input: AddPasskeyInput!) { addPasskey(input: $input) { passkey { id title } } }'
const BEGIN = 'mutation { preparePasskeySignIn { setup challenge host } }'
const SIGN_IN = `mutation ($input: PasskeySignInInput!) {
  signInWithPasskey(input: $input) { token administrator { email } } }`

type Ceremony = { setup: string; challenge: string; host: string }
const prepare = async (key: string, person: Person, code?: string): Promise<Ceremony> =>
  (await data(service, PREPARE, { password: person.password, code }, key)).preparePasskey
const begin = async (): Promise<Ceremony> => (await data(service, BEGIN)).preparePasskeySignIn
const add = (key: string, { setup }: Ceremony, answer: object) =>
  post(service, ADD, { input: { setup, title: 'Phone', ...answer } }, { key })
const enter = ({ setup }: Ceremony, answer: object) => post(service, SIGN_IN, { input: { setup, ...answer } })
const resultOf = (answer: Answer) => codeOf(answer) ?? 'done'
/** The field that a refusal names. */
const fieldOf = ({ json }: Answer) => json.errors?.[0].message.split(':')[0]

async function withPasskey(kind?: Parameters<typeof createAuthenticator>[1]) {
  const person = await hire(service, owner, 'viewer')
  const { token } = (await signIn(service, person)) as { token: string }
  const authenticator = createAuthenticator(origin, kind)
  const ceremony = await prepare(token, person)
  const answer = await add(token, ceremony, authenticator.create(ceremony))
  return { person, token, authenticator, id: answer.json.data.addPasskey.passkey.id as string }
}

async function signWith(authenticator: Authenticator, deviation?: Deviation) {
  const ceremony = await begin()
  return enter(ceremony, authenticator.sign(ceremony, deviation))
}

test.each(['ES256', 'RS256', 'EdDSA'] as const)('a passkey of %s signs in without password', async (kind) => {
  const { person, authenticator, token } = await withPasskey(kind)
  const { json } = await signWith(authenticator)
  expect(json.data.signInWithPasskey.administrator.email).toBe(person.email)
  expect(await isAlive(service, json.data.signInWithPasskey.token)).toBe(true)
  const { passkeys } = (await data(service, '{ account { passkeys { title lastUsedAt } } }', {}, token)).account
  expect(passkeys).toEqual([{ title: 'Phone', lastUsedAt: expect.any(String) }])
})

/** Answers of browsers or pages that are refused, in both ceremonies. */
const deviations: [name: string, deviation: Deviation][] = [
  ['another challenge', { challenge: 'AAAA' }],
  ['another origin', { origin: 'https://attacker.example' }],
  ['a frame of another site', { isCrossOrigin: true }],
  ['another host', { rpId: 'attacker.example' }],
  ['the other ceremony', { type: 'payment.get' }],
  ['a person who was not verified', { flags: 1 }],
  ['no person', { flags: 4 }],
]

test.each(deviations)('refuses %s', async (_, deviation) => {
  const { authenticator, token, person } = await withPasskey()
  expect(resultOf(await signWith(authenticator, deviation))).toBe('unauthenticated')
  expect(resultOf(await signWith(authenticator))).toBe('done')
  const ceremony = await prepare(token, person)
  const answer = await add(token, ceremony, createAuthenticator(origin).create(ceremony, deviation))
  expect(fieldOf(answer)).toBe('clientData')
})

describe('the sign-in', () => {
  test('refuses an unknown passkey, and the signature of another', async () => {
    const [{ authenticator }, stranger] = [await withPasskey(), createAuthenticator(origin)]
    expect(resultOf(await signWith(stranger))).toBe('unauthenticated')
    const ceremony = await begin()
    const forged = { ...stranger.sign(ceremony), credentialId: authenticator.credentialId }
    expect(resultOf(await enter(ceremony, forged))).toBe('unauthenticated')
  })

  test('accepts each challenge once, also of several at once', async () => {
    const { authenticator } = await withPasskey()
    const ceremony = await begin()
    const signature = authenticator.sign(ceremony)
    const answers = await Promise.all([1, 2, 3].map(() => enter(ceremony, signature)))
    expect(answers.map(resultOf).sort()).toEqual(['done', 'unauthenticated', 'unauthenticated'])
    expect(resultOf(await enter(ceremony, signature))).toBe('unauthenticated')
  })

  test('accepts a challenge for 5 minutes', async () => {
    const { authenticator } = await withPasskey()
    const now = Date.now() + 1000
    service.clock.now = new Date(now)
    const [first, second] = [await begin(), await begin()]
    service.clock.now = new Date(now + 300_000)
    expect(resultOf(await enter(first, authenticator.sign(first)))).toBe('unauthenticated')
    service.clock.now = new Date(now + 299_999)
    expect(resultOf(await enter(second, authenticator.sign(second)))).toBe('done')
  })

  test('does not accept the setup of a creation', async () => {
    const { authenticator, token, person } = await withPasskey()
    const ceremony = await prepare(token, person)
    expect(resultOf(await enter(ceremony, authenticator.sign(ceremony)))).toBe('unauthenticated')
  })

  test('is refused to a disabled administrator, and after a reset of the password', async () => {
    const { authenticator, person } = await withPasskey()
    await sql(service, 'UPDATE administrator SET disabled_at = now() WHERE id = $1', [person.id])
    expect(resultOf(await signWith(authenticator))).toBe('unauthenticated')
    await sql(service, 'UPDATE administrator SET disabled_at = NULL WHERE id = $1', [person.id])
    expect(resultOf(await signWith(authenticator))).toBe('done')
    const RESET = 'mutation ($id: ID!) { resetAdministratorPassword(id: $id) { password } }'
    await data(service, RESET, { id: person.id }, owner)
    expect(resultOf(await signWith(authenticator))).toBe('unauthenticated')
  })
})

describe('the creation', () => {
  test('requires the password, and a code of the second factor', async () => {
    const person = await hire(service, owner, 'viewer')
    const { token, secret } = await enableFactor(service, person)
    const refusal = async (input: object) => fieldOf(await post(service, PREPARE, input, { key: token }))
    const { password } = person
    expect(await refusal({ password: 'wrong' })).toBe('password')
    expect(await refusal({ password })).toBe('code')
    expect(await refusal({ password, code: '000000' })).toBe('code')
    const ceremony = await prepare(token, person, codeNow(service, secret))
    const authenticator = createAuthenticator(origin)
    expect(resultOf(await add(token, ceremony, authenticator.create(ceremony)))).toBe('done')
    // A passkey replaces the code, too.
    expect(resultOf(await signWith(authenticator))).toBe('done')
  })

  test('refuses the setup of another person, of a former password, and of a sign-in', async () => {
    const { token, person } = await withPasskey()
    const ceremony = await prepare(token, person)
    const authenticator = createAuthenticator(origin)
    expect(fieldOf(await add(owner, ceremony, authenticator.create(ceremony)))).toBe('setup')
    const signInCeremony = await begin()
    expect(fieldOf(await add(token, signInCeremony, authenticator.create(signInCeremony)))).toBe('setup')
    await sql(service, "UPDATE administrator SET password_hash = 'another' WHERE id = $1", [person.id])
    expect(fieldOf(await add(token, ceremony, authenticator.create(ceremony)))).toBe('setup')
  })

  test('refuses an ID that is not in the signed data, a key of another kind, and a passkey that exists', async () => {
    const { token, person, authenticator } = await withPasskey()
    const ceremony = await prepare(token, person)
    const other = createAuthenticator(origin)
    const refusal = async (answer: object) => fieldOf(await add(token, ceremony, answer))
    expect(await refusal({ ...other.create(ceremony), credentialId: 'AAAA' })).toBe('credentialId')
    expect(await refusal({ ...other.create(ceremony), publicKey: 'AAAA' })).toBe('publicKey')
    expect(await refusal(authenticator.create(ceremony))).toBe('credentialId')
  })

  test('is limited to 20 for a person', async () => {
    const { token, person } = await withPasskey()
    await sql(
      service,
      `INSERT INTO passkey (id, administrator_id, credential_id, public_key, title, challenged_at)
       SELECT gen_random_uuid(), $1, gen_random_uuid(), '', 'x', now() FROM generate_series(1, 18)`,
      [person.id],
    )
    const ceremony = await prepare(token, person)
    expect(resultOf(await add(token, ceremony, createAuthenticator(origin).create(ceremony)))).toBe('done')
    expect(resultOf(await add(token, ceremony, createAuthenticator(origin).create(ceremony)))).toBe('limit_reached')
  })
})

test('a passkey is removed by its person only, and then signs in no longer', async () => {
  const { token, authenticator, id } = await withPasskey()
  const REMOVE = 'mutation ($id: ID!) { removePasskey(id: $id) { removedPasskey { id } } }'
  expect(resultOf(await post(service, REMOVE, { id }, { key: owner }))).toBe('not_found')
  expect(resultOf(await post(service, REMOVE, { id }, { key: token }))).toBe('done')
  expect(resultOf(await signWith(authenticator))).toBe('unauthenticated')
})
