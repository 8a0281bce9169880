// Sign-in links: they replace the password of an administrator once.
import { afterEach, beforeAll, expect, test } from 'bun:test'
import {
  insertAdministrator,
  removeSecondFactorByEmail,
  resetPasswordByEmail,
} from '../../../src/domain/access/administrator/service.ts'
import { createSignInLink } from '../../../src/domain/access/sign-in-link/service.ts'
import { createOrganization } from '../../../src/domain/organization/service.ts'
import { codeOf, data, hire, isAlive, type Person, post, signIn, sql } from '../../support/administrators.ts'
import { runTask } from '../../support/jobs.ts'
import { codeNow, enableFactor } from '../../support/second-factor.ts'
import { type Answer, useTestService } from '../../support/service.ts'

const service = useTestService()
let owner: string
beforeAll(async () => {
  owner = (await signIn(service)).token
})
afterEach(() => {
  service.clock.now = null
})

const SIGN_IN_BY_LINK = `mutation ($token: String!, $code: String) { signInByLink(token: $token, code: $code) {
  token administrator { email organizationId } } }`
const signInByLink = (token: string, code?: string) => post(service, SIGN_IN_BY_LINK, { token, code })
const resultOf = (answer: Answer) => codeOf(answer) ?? 'signed in'
const createToken = async ({ email }: Pick<Person, 'email'>) =>
  new URL((await createSignInLink(service.services, email)).link).hash.slice(1)
const hireOne = () => hire(service, owner, 'admin')

test('a link signs in once, and is stored as a hash', async () => {
  const { email, link } = await createSignInLink(service.services, 'ADMIN@example.com')
  expect([email, link]).toEqual([
    'admin@example.com',
    expect.stringMatching(/^https?:\/\/[^#?]+\/studio\/sign-in#[0-9A-Za-z]{43}$/),
  ])
  const token = new URL(link).hash.slice(1)
  const { rows } = await sql(service, 'SELECT l::text AS stored FROM sign_in_link l')
  expect(rows).toHaveLength(1)
  expect(rows[0].stored).not.toContain(token)
  const answer = await signInByLink(token)
  expect(answer.json.data.signInByLink.administrator.email).toBe('admin@example.com')
  expect(await isAlive(service, answer.json.data.signInByLink.token)).toBe(true)
  expect(resultOf(await signInByLink(token))).toBe('expired')
  expect(resultOf(await signInByLink('unknown'))).toBe('expired')
})

test('of several uses of a link at once one succeeds', async () => {
  const token = await createToken(await hireOne())
  const answers = await Promise.all([1, 2, 3].map(() => signInByLink(token)))
  expect(answers.map(resultOf).sort()).toEqual(['expired', 'expired', 'signed in'])
})

test.each([
  [15 * 60_000 - 1, 'signed in'],
  [15 * 60_000, 'expired'],
])('%d ms after its creation a link is %s', async (ms, result) => {
  const person = await hireOne()
  const now = new Date()
  service.clock.now = now
  const token = await createToken(person)
  service.clock.now = new Date(now.getTime() + ms)
  expect(resultOf(await signInByLink(token))).toBe(result)
})

test('a link does not replace the second factor, and a wrong code does not end it', async () => {
  const person = await hireOne()
  const { secret } = await enableFactor(service, person)
  const token = await createToken(person)
  expect(resultOf(await signInByLink(token))).toBe('second_factor_required')
  expect(resultOf(await signInByLink(token, '000000'))).toBe('second_factor_invalid')
  expect(resultOf(await signInByLink(token, codeNow(service, secret)))).toBe('signed in')
  expect(resultOf(await signInByLink(token, codeNow(service, secret, 1)))).toBe('expired')
})

test('guesses of a code with a link are limited as those with a password are', async () => {
  const person = await hireOne()
  const { secret } = await enableFactor(service, person)
  const token = await createToken(person)
  const results: string[] = []
  for (let guess = 0; guess < 6; guess++) results.push(resultOf(await signInByLink(token, `00000${guess}`)))
  expect(results).toEqual([...Array(5).fill('second_factor_invalid'), 'rate_limited'])
  expect(resultOf(await signInByLink(token, codeNow(service, secret)))).toBe('rate_limited')
})

const change =
  'mutation ($id: ID!, $input: UpdateAdministratorInput!) { updateAdministrator(id: $id, input: $input) { administrator { id } } }'
type Ending = (person: Person & { id: string }) => Promise<unknown>
const endings: [string, Ending][] = [
  ['a newer link', (person) => createToken(person)],
  ['a new password', ({ email }) => resetPasswordByEmail(service.services, email)],
  ['the removal of the second factor', ({ email }) => removeSecondFactorByEmail(service.services, email)],
  ['the loss of a role', ({ id }) => data(service, change, { id, input: { role: 'VIEWER' } }, owner)],
  ['the loss of access', ({ id }) => data(service, change, { id, input: { isDisabled: true } }, owner)],
  [
    'a sign-out everywhere',
    async (person) =>
      data(service, 'mutation { signOutEverywhere { endedSessions } }', {}, (await signIn(service, person)).token),
  ],
]
test.each(endings)('%s ends a link', async (_, end) => {
  const person = await hireOne()
  const token = await createToken(person)
  await end(person)
  expect(resultOf(await signInByLink(token))).toBe('expired')
})

test('a link is for its administrator only, also of another organization', async () => {
  const { id: organizationId } = await createOrganization(service.services, 'Other')
  const person = { email: 'other@example.com', role: 'owner' } as const
  await insertAdministrator(service.services, organizationId, person)
  const [ownToken, otherToken] = [await createToken(service.demo.admin), await createToken(person)]
  const { json } = await signInByLink(otherToken)
  expect(json.data.signInByLink.administrator).toEqual({ email: person.email, organizationId })
  expect(resultOf(await signInByLink(ownToken))).toBe('signed in')
})

test('no link is created for an unknown or a disabled administrator', async () => {
  const person = await hireOne()
  await data(service, change, { id: person.id, input: { isDisabled: true } }, owner)
  for (const email of [person.email, 'nobody@example.com']) {
    await expect(createSignInLink(service.services, email)).rejects.toMatchObject({ code: 'not_found' })
  }
})

test('housekeeping deletes expired links', async () => {
  await sql(service, 'DELETE FROM sign_in_link')
  const [first, second] = [await hireOne(), await hireOne()]
  service.clock.now = new Date(Date.now() - 3_600_000)
  await createToken(first)
  service.clock.now = null
  await createToken(second)
  await runTask(service.services, 'forget_sessions')
  const { rows } = await sql(service, 'SELECT administrator_id AS id FROM sign_in_link')
  expect(rows).toEqual([{ id: second.id }])
})
