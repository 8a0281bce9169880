import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Pool, PoolClient } from 'pg'
import { createForeign } from '../../spec/support.ts'
import { post, trySignIn } from '../../support/administrators.ts'
import { playableTrack } from '../../support/playable.ts'
import { type Answer, useTestService } from '../../support/service.ts'
import { until, untilBlocked } from '../../support/until.ts'

const TABLES = 'batch, event, processing_time'
const OF_REQUEST = 4
const OF_ORGANIZATION = 8
const CONNECTIONS = 16

const service = useTestService()
let others: string[]
let track: string
let lock: PoolClient
let isLocked: boolean

beforeAll(async () => {
  others = [(await createForeign(service)).key, (await createForeign(service)).key]
  track = await playableTrack(service)
})
/** Every statement on these tables waits. */
beforeEach(async () => {
  lock = await service.services.pool.connect()
  await lock.query(`BEGIN; LOCK TABLE ${TABLES} IN ACCESS EXCLUSIVE MODE`)
  isLocked = true
})
async function unlock() {
  if (!isLocked) return
  isLocked = false
  await lock.query('ROLLBACK')
  lock.release()
}
afterEach(unlock)

/** Counts the connections that are in use at a time. */
function watchUse(pool: Pool): { most: () => number; stop: () => void } {
  let [now, most] = [0, 0]
  const acquire = () => {
    now += 1
    most = Math.max(most, now)
  }
  const release = () => {
    now -= 1
  }
  pool.on('acquire', acquire)
  pool.on('release', release)
  return { most: () => most, stop: () => void pool.off('acquire', acquire).off('release', release) }
}

const aliases = (field: string) => Array.from({ length: 20 }, (_, i) => `a${i}: ${field}`).join(' ')
const kinds: [name: string, field: string][] = [
  ['reads of lists', 'batches(first: 1) { nodes { id } }'],
  ['raw statements of Prisma', 'events(first: 1) { nodes { id } }'],
  ['tables of usage', 'processingUsage { jobs }'],
]
let texts = 0
/** A text that has not run before passes through Yoga. */
const newText = (field: string) => `query Q${++texts} { ${aliases(field)} }`
const fill = (query: string, key: string, requests = 4) =>
  Array.from({ length: requests }, () => post(service, query, {}, { key }))
const succeeded = (answers: Answer[]) => answers.every(({ status, json }) => status === 200 && !json.errors)
const blocked = (count: number) => untilBlocked(service.services.pool, { count })

describe.each(kinds)('%s', (_, field) => {
  test.each(['Yoga', 'direct'])('of a request run 4 at a time, through %s', async (way) => {
    const query = newText(field)
    if (way === 'direct') {
      await unlock()
      for (let i = 0; i < 2; i++) await post(service, query, {}, { key: service.demo.api_key })
      lock = await service.services.pool.connect()
      await lock.query(`BEGIN; LOCK TABLE ${TABLES} IN ACCESS EXCLUSIVE MODE`)
      isLocked = true
    }
    const use = watchUse(service.services.graphql.pool)
    const answers = fill(query, service.demo.api_key, 1)
    expect(await blocked(OF_REQUEST)).toHaveLength(OF_REQUEST)
    await unlock()
    expect(succeeded(await Promise.all(answers))).toBe(true)
    use.stop()
    expect(use.most()).toBe(OF_REQUEST)
  })

  test('of an organization run 8 at a time, in all requests', async () => {
    const use = watchUse(service.services.graphql.pool)
    const answers = fill(newText(field), service.demo.api_key)
    expect(await blocked(OF_ORGANIZATION)).toHaveLength(OF_ORGANIZATION)
    await unlock()
    expect(succeeded(await Promise.all(answers))).toBe(true)
    use.stop()
    expect(use.most()).toBe(OF_ORGANIZATION)
  })
})

const openLink = () => service.request('GET', `/v1/stream/${track}/${service.demo.share_key}`, { key: null })

describe('while one organization has filled its share', () => {
  test('another one, stream links, /v1 and sign-in are answered', async () => {
    const answers = fill(newText('batches(first: 1) { nodes { id } }'), service.demo.api_key)
    await blocked(OF_ORGANIZATION)
    const foreign = await post(service, '{ creators { nodes { id } } }', {}, { key: others[0] })
    expect(succeeded([foreign])).toBe(true)
    expect((await openLink()).status).toBe(302)
    expect((await service.v1('GET', '/creator')).status).toBe(200)
    expect(succeeded([await trySignIn(service)])).toBe(true)
    await unlock()
    expect(succeeded(await Promise.all(answers))).toBe(true)
  })
})

const listEvents = (key: string, requests: number) =>
  Array.from({ length: requests }, () => service.v1('GET', '/event', { key }))
const areAnswered = async (answers: Promise<Answer>[]) => succeeded(await Promise.all(answers))

describe('statements of /v1', () => {
  test('of an organization run 8 at a time, while others, stream links and sign-in are answered', async () => {
    const answers = listEvents(service.demo.api_key, 24)
    expect(await blocked(OF_ORGANIZATION)).toHaveLength(OF_ORGANIZATION)
    expect((await service.v1('GET', '/creator', { key: others[0] })).status).toBe(200)
    expect((await openLink()).status).toBe(302)
    expect(succeeded([await trySignIn(service)])).toBe(true)
    await unlock()
    expect(await areAnswered(answers)).toBe(true)
  })

  test('of several organizations leave connections to stream links and sign-in', async () => {
    const answers = [service.demo.api_key, ...others].flatMap((key) => listEvents(key, 24))
    expect(await blocked(CONNECTIONS)).toHaveLength(CONNECTIONS)
    expect((await openLink()).status).toBe(302)
    expect(succeeded([await trySignIn(service)])).toBe(true)
    await unlock()
    expect(await areAnswered(answers)).toBe(true)
  })
})

describe('while two organizations have filled all connections of GraphQL', () => {
  test('stream links, /v1, sign-in and sign-out are answered, and a third one has the next turn', async () => {
    const query = newText('batches(first: 1) { nodes { id } }')
    const answers = [service.demo.api_key, others[0] ?? ''].flatMap((key) => fill(query, key))
    await blocked(CONNECTIONS)
    expect((await openLink()).status).toBe(302)
    expect((await service.v1('GET', '/creator')).status).toBe(200)
    const signedIn = await trySignIn(service)
    expect(succeeded([signedIn])).toBe(true)
    const { refreshToken } = signedIn.json.data.signIn
    const refresh = 'mutation ($token: String!) { refreshSignIn(refreshToken: $token) { token } }'
    const refreshed = await post(service, refresh, { token: refreshToken })
    expect(succeeded([refreshed])).toBe(true)
    const { token } = refreshed.json.data.refreshSignIn
    expect(succeeded([await post(service, 'mutation { signOut { endedSessions } }', {}, { key: token })])).toBe(true)

    let isAnswered = false
    const third = post(service, '{ creators { nodes { id } } }', {}, { key: others[1] }).then((answer) => {
      isAnswered = true
      return answer
    })
    await service.v1('GET', '/creator')
    expect(isAnswered).toBe(false)
    await unlock()
    expect(succeeded([await third, ...(await Promise.all(answers))])).toBe(true)
  })
})

/** 4,250 points, and one statement that waits for the lock. */
const LARGE =
  'batches(first: 1) { nodes { id } } collections(first: 200) { nodes { id tracks(first: 20) { nodes { fileName } } } }'
let largeTexts = 0
const fillLarge = (key: string, requests: number) =>
  Array.from({ length: requests }, () => post(service, `query L${++largeTexts} { ${LARGE} }`, {}, { key }))

describe('large operations', () => {
  test('of an organization run one after another, while its small ones and others are answered', async () => {
    const answers = fillLarge(service.demo.api_key, 6)
    await blocked(1)
    const foreign = fillLarge(others[0] ?? '', 2)
    await blocked(2)
    const third = fillLarge(others[1] ?? '', 1)
    for (const key of [service.demo.api_key, ...others]) {
      const small = await post(service, '{ creators { nodes { id } } }', {}, { key })
      expect(succeeded([small])).toBe(true)
    }
    // One of each of two organizations.
    expect(await blocked(2)).toHaveLength(2)
    await unlock()
    expect(await areAnswered([...answers, ...foreign, ...third])).toBe(true)
  })

  test('that have run before wait in the same way', async () => {
    await unlock()
    const text = `query Again { ${LARGE} }`
    const send = () => post(service, text, {}, { key: service.demo.api_key })
    for (let run = 0; run < 2; run++) await send()
    lock = await service.services.pool.connect()
    await lock.query(`BEGIN; LOCK TABLE ${TABLES} IN ACCESS EXCLUSIVE MODE`)
    isLocked = true
    const answers = [send(), send(), send()]
    await blocked(1)
    expect(succeeded([await post(service, '{ creators { nodes { id } } }', {}, { key: service.demo.api_key })])).toBe(
      true,
    )
    expect(await blocked(1)).toHaveLength(1)
    await unlock()
    expect(await areAnswered(answers)).toBe(true)
  })
})

test('a request that waits for its turn ends with its client, and leaves nothing behind', async () => {
  const answers = fill(newText('batches(first: 1) { nodes { id } }'), service.demo.api_key)
  await blocked(OF_ORGANIZATION)
  const controller = new AbortController()
  const { publicUrl } = service.services.config
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${service.demo.api_key}` }
  const body = JSON.stringify({ query: '{ creators { nodes { id } } }' })
  const request = new Request(`${publicUrl}/graphql`, { method: 'POST', headers, body, signal: controller.signal })
  const reply = Promise.resolve(service.gateway(request)).then((response) => response.json())
  controller.abort()
  expect((await reply).errors[0].extensions.code).toBe('timeout')
  await unlock()
  expect(succeeded(await Promise.all(answers))).toBe(true)
  const { pool } = service.services.graphql
  await until('all connections to be idle', 5000, () => pool.idleCount === pool.totalCount && pool.waitingCount === 0)
})
