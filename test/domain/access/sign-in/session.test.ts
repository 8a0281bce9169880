// Sessions: refreshing, signing out, and changes that end them at once (RFC 9700, section 4.14).
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { REPEAT_MS, refreshSignIn } from '../../../../src/domain/access/sign-in/service.ts'
import type { Context } from '../../../../src/platform/context.ts'
import {
  codeOf,
  data,
  type From,
  hire,
  isAlive,
  post,
  signIn,
  sql,
  trySignIn,
} from '../../../support/administrators.ts'
import { runTask } from '../../../support/jobs.ts'
import { startTestService, useTestService } from '../../../support/service.ts'

const service = useTestService()

const DAY_MS = 86_400_000
const REFRESH = `mutation ($refreshToken: String!) { refreshSignIn(refreshToken: $refreshToken) {
  token expiresAt refreshToken refreshExpiresAt administrator { email } } }`
const tryRefresh = (refreshToken: string, from?: From) => post(service, REFRESH, { refreshToken }, from)
const refresh = async (refreshToken: string) => (await data(service, REFRESH, { refreshToken })).refreshSignIn
const onlySession = async (id: string) =>
  service.services.db.signInSession.findFirstOrThrow({ where: { administratorId: id }, orderBy: { id: 'desc' } })
const sessionCount = () => service.services.db.signInSession.count()

describe('refreshSignIn', () => {
  test('returns new tokens of the same session without extending it', async () => {
    const first = await signIn(service)
    const second = await refresh(first.refreshToken)
    expect(second.token).not.toBe(first.token)
    expect(second.refreshToken).not.toBe(first.refreshToken)
    expect(second.refreshExpiresAt).toBe(first.refreshExpiresAt)
    expect(second.administrator.email).toBe(service.demo.admin.email)
    const session = await onlySession(first.administrator.id)
    expect(session.refreshHash).toBe(createHash('sha256').update(second.refreshToken).digest('hex'))
    expect([await isAlive(service, first.token), await isAlive(service, second.token)]).toEqual([true, true])
  })

  test('a used refresh token ends the session, also after several refreshes', async () => {
    const first = await signIn(service)
    const second = await refresh(first.refreshToken)
    const third = await refresh(second.refreshToken)
    const fourth = await refresh(third.refreshToken)
    expect(codeOf(await tryRefresh(first.refreshToken))).toBe('unauthenticated')
    for (const { token } of [first, fourth]) expect(await isAlive(service, token)).toBe(false)
    expect(codeOf(await tryRefresh(fourth.refreshToken))).toBe('unauthenticated')
  })

  test('a used token and a disabled administrator are logged apart', async () => {
    const lines: string[] = []
    const note = (_: object, line: string) => lines.push(line)
    const log = { warn: note, info: note } as unknown as Context['log']
    const ctx = { ...service.services, log, viewer: null, requestId: 'r', address: null, userAgent: null }
    const refuse = (token: string) => expect(refreshSignIn(ctx, token)).rejects.toThrow('must be valid and unused')
    const person = await hire(service, (await signIn(service)).token, 'admin')
    const [first, second] = [await signIn(service, person), await signIn(service, person)]
    await refresh((await refresh(first.refreshToken)).refreshToken)
    await refuse(first.refreshToken)
    expect(lines.splice(0)).toEqual(['a refresh token was used twice'])
    await sql(service, 'UPDATE administrator SET disabled_at = now() WHERE id = $1', [person.id])
    await refuse(second.refreshToken)
    expect(lines).toEqual(['a disabled administrator tried to renew a session'])
    expect(await isAlive(service, second.token)).toBe(false)
  })

  test('20 concurrent uses of one token get the same successor', async () => {
    const { refreshToken } = await signIn(service)
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refreshToken)))
    expect(new Set(answers.map((answer) => answer.refreshToken)).size).toBe(1)
    for (const { token } of answers) expect(await isAlive(service, token)).toBe(true)
    await refresh(answers[0].refreshToken)
  })

  test.each([
    [REPEAT_MS - 1, true],
    [REPEAT_MS, false],
  ])('a token that is used again after %i ms: same successor %p', async (ms, isRepeated) => {
    const began = new Date()
    service.clock.now = began
    const { refreshToken } = await signIn(service)
    const { refreshToken: next, token } = await refresh(refreshToken)
    service.clock.now = new Date(began.getTime() + ms)
    const again = await tryRefresh(refreshToken)
    const isStillAlive = await isAlive(service, token)
    service.clock.now = null
    expect([again.json.data?.refreshSignIn?.refreshToken ?? codeOf(again), isStillAlive]).toEqual(
      isRepeated ? [next, true] : ['unauthenticated', false],
    )
  })

  test('a token that was signed out gets no successor, however soon', async () => {
    const { refreshToken } = await signIn(service)
    const { token } = await refresh(refreshToken)
    await data(service, 'mutation { signOut { endedSessions } }', {}, token)
    expect(codeOf(await tryRefresh(refreshToken))).toBe('unauthenticated')
  })

  test('a forged refresh token changes nothing, even with an existing session ID', async () => {
    const { token, refreshToken } = await signIn(service)
    const last = refreshToken.at(-1) === 'A' ? 'E' : 'A'
    const invented = [
      '',
      'nonsense',
      refreshToken.slice(0, -1) + last,
      refreshToken.replace(/_refresh_./, (text: string) => (text.endsWith('x') ? '_refresh_y' : '_refresh_x')),
      `${refreshToken} `,
      'x'.repeat(256),
    ]
    for (const text of invented) expect(codeOf(await tryRefresh(text)), text).toBe('unauthenticated')
    expect(codeOf(await tryRefresh('x'.repeat(257)))).toBe('invalid_input')
    expect(await isAlive(service, token)).toBe(true)
    await refresh(refreshToken)
  })

  test('works until the session expires; access tokens expire with it', async () => {
    const { refreshToken, refreshExpiresAt } = await signIn(service)
    service.clock.now = new Date(Date.parse(refreshExpiresAt) - 1)
    const late = await refresh(refreshToken)
    service.clock.now = new Date(refreshExpiresAt)
    const [after, token] = [await tryRefresh(late.refreshToken), await isAlive(service, late.token)]
    service.clock.now = null
    expect([codeOf(after), token]).toEqual(['unauthenticated', false])
  })

  test('returns a changed role, and refuses a disabled administrator', async () => {
    const { token: owner } = await signIn(service)
    const person = await hire(service, owner, 'viewer')
    const { refreshToken, token } = await signIn(service, person)
    await service.services.db.administrator.update({ where: { id: person.id }, data: { role: 'admin' } })
    const again = await refresh(refreshToken)
    expect(decodeJwt(again.token).role).toBe('admin')
    await service.services.db.administrator.update({ where: { id: person.id }, data: { disabledAt: new Date() } })
    expect(await isAlive(service, token)).toBe(false)
    expect(codeOf(await tryRefresh(again.refreshToken))).toBe('unauthenticated')
  })
})

describe('signing out', () => {
  test('signOut ends the current session only', async () => {
    const [here, there] = [await signIn(service), await signIn(service)]
    expect((await data(service, 'mutation { signOut { endedSessions } }', {}, here.token)).signOut.endedSessions).toBe(
      1,
    )
    expect([await isAlive(service, here.token), await isAlive(service, there.token)]).toEqual([false, true])
    expect(codeOf(await tryRefresh(here.refreshToken))).toBe('unauthenticated')
    await refresh(there.refreshToken)
  })

  test('signOutEverywhere ends every session of this administrator only', async () => {
    const owner = await signIn(service)
    const person = await hire(service, owner.token, 'viewer')
    const sessions = [await signIn(service, person), await signIn(service, person), await signIn(service, person)]
    const out = 'mutation { signOutEverywhere { endedSessions } }'
    expect((await data(service, out, {}, sessions[0].token)).signOutEverywhere.endedSessions).toBe(3)
    for (const { token } of sessions) expect(await isAlive(service, token)).toBe(false)
    expect(await isAlive(service, owner.token)).toBe(true)
  })

  test.each(['signOut', 'signOutEverywhere'])('%s refuses keys and unauthenticated clients', async (name) => {
    const out = `mutation { ${name} { endedSessions } }`
    expect(codeOf(await post(service, out, {}))).toBe('unauthenticated')
    expect(codeOf(await post(service, out, {}, { key: service.demo.api_key }))).toBe('forbidden')
  })
})

describe('the stored session', () => {
  test('records client address and user agent, truncated', async () => {
    await trySignIn(service, {}, { address: '2001:db8::7', headers: { 'user-agent': `Browser/1 ${'x'.repeat(600)}` } })
    const session = await service.services.db.signInSession.findFirstOrThrow({ where: { address: '2001:db8::7' } })
    expect([session.userAgent?.length, session.userAgent?.startsWith('Browser/1 x')]).toEqual([512, true])
  })

  test('is deleted 30 days after its end', async () => {
    const ownService = await startTestService()
    const [ended, expired, alive] = [await signIn(ownService), await signIn(ownService), await signIn(ownService)]
    await data(ownService, 'mutation { signOut { endedSessions } }', {}, ended.token)
    const { db } = ownService.services
    const sid = (token: string) => String(decodeJwt(token).sid)
    const soon = new Date(Date.now() + 1000)
    await db.signInSession.update({ where: { id: sid(expired.token) }, data: { expiresAt: soon } })
    const countLeft = async (now: number) => {
      ownService.clock.now = new Date(now)
      await runTask(ownService.services, 'forget_sessions')
      return db.signInSession.count()
    }
    expect(await countLeft(Date.now() + 30 * DAY_MS - 60_000)).toBe(3)
    expect(await countLeft(Date.now() + 30 * DAY_MS + 60_000)).toBe(1)
    expect(await db.signInSession.count({ where: { id: sid(alive.token) } })).toBe(1)
    expect(await countLeft(Date.now() + 61 * DAY_MS)).toBe(0)
    await ownService.stop()
  })
})

test('a failed sign-in begins no session', async () => {
  const before = await sessionCount()
  await trySignIn(service, { password: 'wrong' })
  expect(await sessionCount()).toBe(before)
})
