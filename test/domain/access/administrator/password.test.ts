// changePassword: rules, ended sessions and limits.
import { beforeAll, describe, expect, test } from 'bun:test'
import { hashPassword, isPassword } from '../../../../src/platform/identity/password.ts'
import { codeOf, hire, isAlive, post, signIn, trySignIn, whileLocked } from '../../../support/administrators.ts'
import { atFullCost } from '../../../support/passwords.ts'
import { useTestService } from '../../../support/service.ts'

const service = useTestService()
let owner: string
beforeAll(async () => {
  owner = (await signIn(service)).token
})

const CHANGE = `mutation ($currentPassword: String!, $newPassword: String!) {
  changePassword(currentPassword: $currentPassword, newPassword: $newPassword) { administrator { email } } }`
const change = (key: string | null, currentPassword: string, newPassword: string, address?: string) =>
  post(service, CHANGE, { currentPassword, newPassword }, { key, address })
const NEW = 'a new password, and a long one'

test('a password is hashed with Argon2id, 64 MiB and two passes', async () => {
  const hash = await atFullCost(() => hashPassword(NEW))
  expect(hash).toStartWith('$argon2id$v=19$m=65536,t=2,p=1$')
  expect([await isPassword(NEW, hash), await isPassword('wrong', hash)]).toEqual([true, false])
})

describe('changePassword', () => {
  test('ends the other sessions and keeps the current one; only the new password signs in', async () => {
    const person = await hire(service, owner, 'viewer')
    const [here, there] = [await signIn(service, person), await signIn(service, person)]
    const answer = await change(here.token, person.password, NEW)
    expect(answer.json.data.changePassword.administrator.email).toBe(person.email)
    expect([await isAlive(service, here.token), await isAlive(service, there.token)]).toEqual([true, false])
    expect(codeOf(await trySignIn(service, person))).toBe('unauthenticated')
    await signIn(service, { email: person.email, password: NEW })
    expect(await isAlive(service, owner)).toBe(true)
  })

  test('requires the current password', async () => {
    const person = await hire(service, owner, 'admin')
    const { token } = await signIn(service, person)
    const answer = await change(token, 'wrong', NEW)
    expect([codeOf(answer), answer.json.errors[0].message]).toEqual([
      'invalid_input',
      'currentPassword: is not the current password',
    ])
    expect(await isAlive(service, token)).toBe(true)
    await signIn(service, person)
  })

  test('accepts 12 to 1,024 characters', async () => {
    const person = await hire(service, owner, 'viewer')
    const { token } = await signIn(service, person)
    expect(codeOf(await change(token, person.password, 'x'.repeat(11)))).toBe('invalid_input')
    expect(codeOf(await change(token, person.password, 'x'.repeat(1025)))).toBe('invalid_input')
    expect(codeOf(await change(token, person.password, 'x'.repeat(1024)))).toBeUndefined()
    expect(codeOf(await change(token, 'x'.repeat(1024), 'x'.repeat(12)))).toBeUndefined()
  })

  test('refuses keys', async () => {
    expect(codeOf(await change(null, 'x', NEW))).toBe('unauthenticated')
    expect(codeOf(await change(service.demo.api_key, 'x', NEW))).toBe('forbidden')
  })

  test('counts wrong passwords together with those of signIn', async () => {
    const person = await hire(service, owner, 'viewer')
    const { token } = await signIn(service, person)
    const address = '192.0.2.50'
    for (let tried = 0; tried < 3; tried++) {
      expect(codeOf(await change(token, 'wrong', NEW, address))).toBe('invalid_input')
    }
    for (let tried = 0; tried < 2; tried++) await trySignIn(service, { ...person, password: 'wrong' }, { address })
    const refused = await change(token, person.password, NEW, address)
    expect(codeOf(refused)).toBe('rate_limited')
    expect(refused.json.errors[0].extensions.retryAfterSeconds).toBeWithin(55, 61)
  })

  test('of two concurrent changes with the same current password one succeeds', async () => {
    const person = await hire(service, owner, 'viewer')
    const { token } = await signIn(service, person)
    const passwords = ['the first of the two', 'the second of the two']
    const answers = await Promise.all(passwords.map((password) => change(token, person.password, password)))
    expect(answers.map(codeOf).sort()).toEqual(['invalid_input', undefined] as string[])
    const winner = passwords[answers.findIndex((answer) => codeOf(answer) === undefined)] ?? ''
    await signIn(service, { email: person.email, password: winner })
  })

  test.each([
    ['the password', "UPDATE administrator SET password_hash = 'another' WHERE id = $1"],
    ['the access', 'UPDATE administrator SET disabled_at = now() WHERE id = $1'],
  ])('a sign-in begins no session when %s is removed after the password was verified', async (_, change) => {
    const person = await hire(service, owner, 'viewer')
    const answer = await whileLocked(service, [[change, [person.id]]], () => trySignIn(service, person), 1)
    expect(codeOf(answer)).toBe('unauthenticated')
    expect(await service.services.db.signInSession.count({ where: { administratorId: person.id } })).toBe(0)
  })
})
