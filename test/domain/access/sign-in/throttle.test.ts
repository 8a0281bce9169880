// Limits on wrong passwords: growing pauses after the fifth of a day from one client for one administrator, 1,000 an hour
// from one client, 100 a day for one administrator from unknown clients.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Logger } from 'pino'
import { describeWait } from '../../../../src/domain/access/throttle.ts'
import { createProxyCheck } from '../../../../src/platform/http/client-address.ts'
import { createGateway } from '../../../../src/roles/gateway/app.ts'
import { codeOf, type From, post, sql, trySignIn } from '../../../support/administrators.ts'
import { runTask } from '../../../support/jobs.ts'
import { type Answer, startTestService, type TestService } from '../../../support/service.ts'

const service: TestService = await startTestService()
afterAll(() => service.stop())
beforeEach(async () => {
  await service.services.db.rateLimit.deleteMany()
  await service.services.db.signInSession.deleteMany()
})

test.each([
  [1, '1 second'],
  [60, '60 seconds'],
  [61, '2 minutes'],
  [896, '15 minutes'],
  [3600, '60 minutes'],
  [3601, '2 hours'],
])('%d s to wait are shown as %s', (seconds, text) => {
  expect(describeWait(seconds)).toBe(text)
})

const { email } = service.demo.admin
const HERE = '192.0.2.1'
const wrongFrom = (address: string, person: object = {}) =>
  trySignIn(service, { password: 'wrong', ...person }, { address })
const rightFrom = (address: string) => trySignIn(service, {}, { address })
const retryAfter = ({ json }: Answer) => json.errors[0].extensions.retryAfterSeconds as number
const isIn = ({ json }: Answer) => json.data?.signIn !== undefined && !json.errors
/** Writes the counter of a limit directly, one failure below the limit. */
async function countUp(limit: string, points: number) {
  const { rowCount } = await sql(service, 'UPDATE rate_limit SET points = $1 WHERE key LIKE $2', [points, `${limit}:%`])
  expect(rowCount).toBe(1)
}

describe('one client, one administrator', () => {
  test('verifies the fifth wrong password, but neither a sixth nor the right one', async () => {
    for (let tried = 0; tried < 5; tried++) expect(codeOf(await wrongFrom(HERE))).toBe('unauthenticated')
    const refused = await wrongFrom(HERE)
    expect(codeOf(refused)).toBe('rate_limited')
    expect(retryAfter(refused)).toBeWithin(55, 61)
    expect(codeOf(await rightFrom(HERE))).toBe('rate_limited')
    expect(isIn(await rightFrom('192.0.2.2'))).toBe(true)
  })

  test('verifies one more password after each pause, which doubles up to an hour', async () => {
    const pauses = []
    for (let tried = 0; tried < 5; tried++) await wrongFrom(HERE)
    for (let round = 0; round < 8; round++) {
      const refused = await wrongFrom(HERE)
      pauses.push([codeOf(refused), Math.round(retryAfter(refused) / 60)])
      await sql(service, "UPDATE rate_limit SET expire = $1 WHERE key LIKE 'sign_in_pause:%'", [Date.now() - 1])
      expect(codeOf(await wrongFrom(HERE))).toBe('unauthenticated')
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((minutes) => ['rate_limited', minutes]))
    await sql(service, "UPDATE rate_limit SET expire = $1 WHERE key LIKE 'sign_in_pause:%'", [Date.now() - 1])
    expect(isIn(await rightFrom(HERE))).toBe(true)
  })

  test('a right password resets the counter of wrong ones', async () => {
    const answers: unknown[] = []
    for (let round = 0; round < 2; round++) {
      for (let tried = 0; tried < 4; tried++) answers.push(codeOf(await wrongFrom(HERE)))
      answers.push(isIn(await rightFrom(HERE)))
    }
    const round = [...Array(4).fill('unauthenticated'), true]
    expect(answers).toEqual([...round, ...round])
  })

  test('never limits right passwords', async () => {
    const answers = []
    for (let tried = 0; tried < 7; tried++) answers.push(isIn(await rightFrom(HERE)))
    expect(answers).toEqual(Array(7).fill(true))
  })

  test('counts attempts for an unknown address in the same way', async () => {
    const unknown = { email: 'unknown@example.com' }
    for (let tried = 0; tried < 5; tried++) expect(codeOf(await wrongFrom(HERE, unknown))).toBe('unauthenticated')
    const refused = await wrongFrom(HERE, unknown)
    for (let tried = 0; tried < 5; tried++) await wrongFrom(HERE)
    const wrongAnswer = await wrongFrom(HERE)
    const messageOf = ({ json }: Answer) => json.errors[0].message.replace(/\d+/, '')
    expect([codeOf(wrongAnswer), messageOf(wrongAnswer)]).toEqual([codeOf(refused), messageOf(refused)])
  })

  test('ignores case and spaces of the address', async () => {
    const written = [email, email.toUpperCase(), ` ${email}`, `${email} `, email.replace('a', 'A')]
    for (const text of written) expect(codeOf(await wrongFrom(HERE, { email: text }))).toBe('unauthenticated')
    expect(codeOf(await wrongFrom(HERE, { email: email.toUpperCase() }))).toBe('rate_limited')
  })
})

test('verifies five of 40 concurrent guesses over two replicas, and no more with aliases in one request', async () => {
  const replica = createGateway(service.services)
  const ask = (gateway: TestService['gateway']) =>
    trySignIn({ ...service, gateway }, { password: 'wrong' }, { address: HERE })
  const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => ask(i % 2 === 0 ? service.gateway : replica)))
  const codes = answers.map(codeOf)
  expect(codes.filter((code) => code === 'unauthenticated')).toHaveLength(5)
  expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(35)

  const alias = (_: unknown, i: number) => `a${i}: signIn(email: "${email}", password: "${i}") { token }`
  const query = `mutation { ${Array.from({ length: 20 }, alias).join(' ')} }`
  const { json } = await post(service, query, {}, { address: '192.0.2.9' })
  const words = json.errors.map((error: { extensions: { code: string } }) => error.extensions.code)
  expect(words.filter((word: string) => word === 'unauthenticated').length).toBeLessThanOrEqual(5)
})

describe('one client, many administrators', () => {
  test('refuses the 1,001st wrong password within an hour for any address', async () => {
    await wrongFrom(HERE)
    await countUp('sign_in_client', 999)
    expect(codeOf(await wrongFrom(HERE, { email: 'thousandth@example.com' }))).toBe('unauthenticated')
    const refused = await wrongFrom(HERE, { email: 'next@example.com' })
    expect([codeOf(refused), retryAfter(refused)]).toEqual(['rate_limited', expect.any(Number)])
    expect(retryAfter(refused)).toBeWithin(3500, 3601)
    expect(isIn(await rightFrom('192.0.2.2'))).toBe(true)
  })

  test('signs in an administrator of an office after 999 failures for others', async () => {
    await wrongFrom(HERE, { email: 'other@example.com' })
    await countUp('sign_in_client', 999)
    expect(isIn(await rightFrom(HERE))).toBe(true)
  })

  test('counts all addresses of an IPv6 /64 as one client', async () => {
    const addresses = [
      '2001:db8:0:1::1',
      '2001:db8:0:1::2',
      '2001:db8:0:1:ffff::',
      '2001:db8::1:0:0:0:3',
      '2001:db8:0:1::5',
    ]
    for (const address of addresses) expect(codeOf(await wrongFrom(address))).toBe('unauthenticated')
    expect(codeOf(await wrongFrom('2001:db8:0:1::6'))).toBe('rate_limited')
    expect(codeOf(await wrongFrom('2001:db8:0:2::6'))).toBe('unauthenticated')
  })
})

describe('many clients, one administrator', () => {
  test('refuses the 101st wrong password of a day, except from clients of recent sign-ins', async () => {
    expect(isIn(await rightFrom(HERE))).toBe(true)
    await wrongFrom('198.51.100.1')
    await countUp('sign_in_email', 99)
    expect(codeOf(await wrongFrom('198.51.100.2'))).toBe('unauthenticated')
    expect(codeOf(await wrongFrom('198.51.100.3'))).toBe('rate_limited')
    expect(codeOf(await rightFrom('198.51.100.3'))).toBe('rate_limited')
    expect(isIn(await rightFrom(HERE))).toBe(true)
    await sql(service, "UPDATE sign_in_session SET created_at = now() - interval '31 days'")
    expect(codeOf(await rightFrom(HERE))).toBe('rate_limited')
  })

  test('a blocked client does not use up the limits of others', async () => {
    for (let tried = 0; tried < 30; tried++) await wrongFrom(HERE)
    const { rows } = await sql(service, "SELECT points FROM rate_limit WHERE key ~ '^sign_in_(client|email|pair):'")
    expect(rows.map(({ points }) => points)).toEqual([5, 5, 5])
  })
})

test('deletes expired counters; the table contains no email address', async () => {
  await wrongFrom(HERE)
  const { rows } = await sql(service, 'SELECT key FROM rate_limit')
  expect(JSON.stringify(rows)).not.toContain('admin@')
  await runTask(service.services, 'forget_sessions')
  expect(await service.services.db.rateLimit.count()).toBe(3)
  await sql(service, 'UPDATE rate_limit SET expire = $1', [Date.now() - 1])
  await runTask(service.services, 'forget_sessions')
  expect(await service.services.db.rateLimit.count()).toBe(0)
})

describe('the address of a client (TRUSTED_PROXIES)', () => {
  const forwarded = (list: string): From => ({ address: '203.0.113.9', headers: { 'x-forwarded-for': list } })
  const seen = async (ownService: TestService, from: From) => {
    await ownService.services.db.signInSession.deleteMany()
    expect(isIn(await trySignIn(ownService, {}, from))).toBe(true)
    return (await ownService.services.db.signInSession.findFirstOrThrow()).address
  }

  test.each([
    [0, '192.0.2.77', 1],
    [0, null, 0],
    [2, '192.0.2.77', 1],
    [2, null, 1],
    [2, '192.0.2.77, 198.51.100.4', 0],
  ])('with %p proxies and X-Forwarded-For %p warns %p times in three requests', (proxies, list, expected) => {
    const warnings: unknown[] = []
    const check = createProxyCheck({ warn: (line: unknown) => warnings.push(line) } as unknown as Logger, proxies)
    for (let i = 0; i < 3; i++) check(new Headers(list === null ? {} : { 'x-forwarded-for': list }))
    expect(warnings).toHaveLength(expected)
  })

  test('ignores X-Forwarded-For without a proxy', async () => {
    expect(await seen(service, forwarded('192.0.2.77'))).toBe('203.0.113.9')
  })

  test('uses the second entry from the right with two proxies, and ignores entries of the client', async () => {
    const ownService = await startTestService({ TRUSTED_PROXIES: '2' })
    expect(await seen(ownService, forwarded('10.9.9.9, 192.0.2.77, 198.51.100.4'))).toBe('192.0.2.77')
    expect(await seen(ownService, forwarded('192.0.2.77:4711, 198.51.100.4'))).toBe('192.0.2.77')
    expect(await seen(ownService, forwarded('[2001:DB8::1]:443,198.51.100.4'))).toBe('2001:db8::1')
    expect(await seen(ownService, forwarded('::ffff:192.0.2.77, 198.51.100.4'))).toBe('192.0.2.77')
    expect(await seen(ownService, forwarded('198.51.100.4'))).toBe('203.0.113.9')
    expect(await seen(ownService, forwarded('nonsense, 198.51.100.4'))).toBe('203.0.113.9')
    expect(await seen(ownService, { address: '203.0.113.9' })).toBe('203.0.113.9')
    expect(await seen(ownService, {})).toBeNull()
    await ownService.stop()
  })
})
