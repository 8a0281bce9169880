// The second factor: codes of an app (RFC 6238), recovery codes, and what they protect.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { computeCode, findStep, stepAt, writeTotpUri } from '../../../src/domain/access/second-factor/totp.ts'
import { codeOf, data, hire, isAlive, post, signIn, sql } from '../../support/administrators.ts'
import { codeNow, enableFactor } from '../../support/second-factor.ts'
import { type Answer, useTestService } from '../../support/service.ts'

const service = useTestService()
let owner: string
beforeAll(async () => {
  owner = (await signIn(service)).token
})
beforeEach(() => {
  // The middle of a step: no code expires between its computation and its use.
  const now = Date.now()
  service.clock.now = new Date(now - (now % 30_000) + 15_000)
})
afterEach(() => {
  service.clock.now = null
})

const SIGN_IN = `mutation ($email: String!, $password: String!, $code: String) {
  signIn(email: $email, password: $password, code: $code) { token } }`
const DISABLE =
  'mutation ($password: String!, $code: String!) { disableSecondFactor(password: $password, code: $code) { administrator { hasSecondFactor } } }'
const RENEW =
  'mutation ($password: String!, $code: String!) { createRecoveryCodes(password: $password, code: $code) { recoveryCodes } }'

type Hired = Awaited<ReturnType<typeof hire>>
const enter = ({ email, password }: Hired, code?: string, address?: string) =>
  post(service, SIGN_IN, { email, password, code }, { address })
/** `in`, or the code of the refusal. */
const resultOf = (answer: Answer) => codeOf(answer) ?? (answer.json.data.signIn.token ? 'in' : 'out')

async function protect() {
  const person = await hire(service, owner, 'viewer')
  return { person, ...(await enableFactor(service, person)) }
}

describe('codes', () => {
  // RFC 6238, appendix B, SHA-1; the last six of eight digits.
  test.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('at %d s the code of the RFC is %s', (seconds, code) => {
    expect(computeCode('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', stepAt(new Date(seconds * 1000)))).toBe(code)
  })

  test('are accepted one step early and late, and not two', () => {
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
    const [now, step] = [new Date(1111111109_000), stepAt(new Date(1111111109_000))]
    const steps = [-2, -1, 0, 1, 2].map((offset) => findStep(secret, computeCode(secret, step + offset), now))
    expect(steps).toEqual([null, step - 1, step, step + 1, null])
  })

  test('have an address that apps read', () => {
    expect(writeTotpUri('Tonearm', 'a b@example.com', 'ABC')).toBe(
      'otpauth://totp/Tonearm:a%20b%40example.com?secret=ABC&issuer=Tonearm',
    )
  })
})

describe('sign-in', () => {
  test('requires a code after the password, in any way of writing, and accepts each once', async () => {
    const { person, secret } = await protect()
    expect(resultOf(await enter({ ...person, password: 'wrong' }))).toBe('unauthenticated')
    expect(resultOf(await enter(person))).toBe('second_factor_required')
    expect(resultOf(await enter(person, ' - '))).toBe('second_factor_required')
    const code = codeNow(service, secret)
    expect(resultOf(await enter({ ...person, password: 'wrong' }, code))).toBe('unauthenticated')
    expect(resultOf(await enter(person, `${code.slice(0, 3)} ${code.slice(3)}`))).toBe('in')
    expect(resultOf(await enter(person, code))).toBe('second_factor_invalid')
    // A code of an earlier step is as good as used.
    expect(resultOf(await enter(person, codeNow(service, secret, -1)))).toBe('second_factor_invalid')
    expect(resultOf(await enter(person, codeNow(service, secret, 1)))).toBe('in')
  })

  test('accepts each recovery code once', async () => {
    const { person, recoveryCodes, token } = await protect()
    expect(new Set(recoveryCodes).size).toBe(10)
    const [first = ''] = recoveryCodes
    expect(resultOf(await enter(person, first.toUpperCase().replace('-', ' ')))).toBe('in')
    expect(resultOf(await enter(person, first))).toBe('second_factor_invalid')
    expect((await data(service, '{ account { recoveryCodesLeft } }', {}, token)).account.recoveryCodesLeft).toBe(9)
  })

  test('with a recovery code of another person is refused', async () => {
    const [one, other] = [await protect(), await protect()]
    expect(resultOf(await enter(one.person, other.recoveryCodes[0]))).toBe('second_factor_invalid')
  })

  test.each(['a code of the app', 'a recovery code'])('of two at once with %s one succeeds', async (kind) => {
    const { person, secret, recoveryCodes } = await protect()
    const code = kind === 'a recovery code' ? recoveryCodes[0] : codeNow(service, secret)
    const answers = await Promise.all([1, 2, 3].map(() => enter(person, code)))
    expect(answers.map(resultOf).sort()).toEqual(['in', 'second_factor_invalid', 'second_factor_invalid'])
  })

  test('limits wrong codes as wrong passwords; the right password without a code resets nothing', async () => {
    const { person, secret } = await protect()
    const address = '192.0.2.60'
    const results = []
    for (let tried = 0; tried < 5; tried++) {
      results.push(resultOf(await enter(person, '000000', address)), resultOf(await enter(person, undefined, address)))
    }
    expect(results.slice(0, 9)).toEqual(
      Array.from({ length: 9 }, (_, n) => (n % 2 ? 'second_factor_required' : 'second_factor_invalid')),
    )
    expect(results[9]).toBe('rate_limited')
    expect(resultOf(await enter(person, codeNow(service, secret), address))).toBe('rate_limited')
    expect(resultOf(await enter(person, codeNow(service, secret), '192.0.2.61'))).toBe('in')
  })
})

describe('the account', () => {
  test('enabling ends the other sessions, and stores neither the secret nor the codes in clear text', async () => {
    const person = await hire(service, owner, 'viewer')
    const { token: other } = await signIn(service, person)
    const { token, secret, recoveryCodes } = await enableFactor(service, person)
    expect([await isAlive(service, token), await isAlive(service, other)]).toEqual([true, false])
    const { rows } = await sql(
      service,
      `SELECT a.sealed_totp_secret || (SELECT string_agg(hash, ' ') FROM recovery_code WHERE administrator_id = a.id) AS stored
       FROM administrator a WHERE id = $1`,
      [person.id],
    )
    expect(rows[0].stored.length).toBeGreaterThan(64 * 10)
    for (const text of [secret, ...recoveryCodes]) expect(rows[0].stored).not.toContain(text.replace('-', ''))
  })

  test('enabling requires the password, a code of the app, and a setup of at most 15 minutes of the same person', async () => {
    const [person, other] = [await hire(service, owner, 'viewer'), await hire(service, owner, 'viewer')]
    const { token } = await signIn(service, person)
    const prepared = (await data(service, 'mutation { prepareSecondFactor { setup secret } }', {}, token))
      .prepareSecondFactor
    const tryEnable = async (input: object, key = token) => {
      const code = codeNow(service, prepared.secret)
      const variables = { setup: prepared.setup, password: person.password, code, ...input }
      const query = `mutation ($setup: String!, $password: String!, $code: String!) {
        enableSecondFactor(setup: $setup, password: $password, code: $code) { administrator { hasSecondFactor } } }`
      const { json } = await post(service, query, variables, { key })
      return json.errors?.[0].message.split(':')[0] ?? json.data.enableSecondFactor.administrator.hasSecondFactor
    }
    expect(await tryEnable({ password: 'wrong' })).toBe('password')
    expect(await tryEnable({ code: codeNow(service, prepared.secret, 5) })).toBe('code')
    expect(await tryEnable({ setup: prepared.setup.slice(4) })).toBe('setup')
    const { token: otherToken } = await signIn(service, other)
    expect(await tryEnable({ password: other.password }, otherToken)).toBe('setup')
    const preparedAt = service.services.clock().getTime()
    service.clock.now = new Date(preparedAt + 15 * 60_000)
    const { token: laterToken } = await signIn(service, person)
    expect(await tryEnable({}, laterToken)).toBe('setup')
    service.clock.now = new Date(preparedAt + 15 * 60_000 - 1)
    expect(await tryEnable({}, laterToken)).toBe(true)
    expect(await tryEnable({}, laterToken)).toBe('setup')
  })

  test('disabling and new recovery codes require the password and a code', async () => {
    const { person, token, secret, recoveryCodes } = await protect()
    const attempt = async (query: string, password: string, code = '') => {
      const answer = await post(service, query, { password, code }, { key: token })
      return answer.json.errors?.[0].message.split(':')[0] ?? answer.json.data
    }
    expect(await attempt(RENEW, 'wrong', recoveryCodes[0])).toBe('password')
    expect(await attempt(RENEW, person.password, '000000')).toBe('code')
    const renewed = (await attempt(RENEW, person.password, codeNow(service, secret))).createRecoveryCodes.recoveryCodes
    expect(resultOf(await enter(person, recoveryCodes[0]))).toBe('second_factor_invalid')
    expect(await attempt(DISABLE, 'wrong', renewed[0])).toBe('password')
    expect(await attempt(DISABLE, person.password, recoveryCodes[1])).toBe('code')
    const disabled = await attempt(DISABLE, person.password, renewed[0])
    expect(disabled.disableSecondFactor.administrator.hasSecondFactor).toBe(false)
    expect(resultOf(await enter(person))).toBe('in')
    expect(await attempt(DISABLE, person.password, renewed[1])).toBe('code')
  })

  test('an owner removes the factor of another administrator, which ends their sessions, and not their own', async () => {
    const { person, token } = await protect()
    const remove = (id: string, key: string) =>
      post(
        service,
        'mutation ($id: ID!) { removeSecondFactor(id: $id) { administrator { hasSecondFactor } } }',
        { id },
        { key },
      )
    const { account } = await data(service, '{ account { administrator { id } } }', {}, owner)
    expect(codeOf(await remove(account.administrator.id, owner))).toBe('forbidden')
    expect(codeOf(await remove(person.id, token))).toBe('forbidden')
    const removed = await remove(person.id, owner)
    expect(removed.json.data.removeSecondFactor.administrator.hasSecondFactor).toBe(false)
    expect(await isAlive(service, token)).toBe(false)
    expect(resultOf(await enter(person))).toBe('in')
    expect(await service.services.db.recoveryCode.count({ where: { administratorId: person.id } })).toBe(0)
  })
})
