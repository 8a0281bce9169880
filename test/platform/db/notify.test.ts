import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createServer, type Server, type Socket, connect as tcp } from 'node:net'
import { Pool } from 'pg'
import {
  createNotifications,
  type Notice,
  type Notifications,
  type NotifyOptions,
} from '../../../src/platform/db/notify.ts'
import { createLog } from '../../../src/platform/log.ts'
import { LISTENING } from '../../support/live.ts'
import { cloneDatabase } from '../../support/postgres.ts'

let url: string
let pool: Pool
const open: Notifications[] = []
beforeEach(async () => {
  url = await cloneDatabase()
  pool = new Pool({ connectionString: url, max: 2 })
  // The server of the tests may stop before the last connection is closed.
  pool.on('error', () => {})
})
afterEach(async () => {
  for (const notifications of open.splice(0)) await notifications.end()
  await pool.end()
})
function start(options: NotifyOptions = {}, connectionString = url) {
  const notifications = createNotifications({ connectionString }, createLog('silent', 'json'), options)
  open.push(notifications)
  return notifications
}
const say = (notice: unknown, channel = 'news') =>
  pool.query('SELECT pg_notify($1, $2)', [channel, typeof notice === 'string' ? notice : JSON.stringify(notice)])
const terminate = () => pool.query(`SELECT pg_terminate_backend(pid) ${LISTENING}`)

/** A listener that records notifications, with a wait. */
function ear(value: string, owner = 'me', field = 'about') {
  const notices: (Notice | 'resume')[] = []
  let wake = () => {}
  const note = (notice: Notice | 'resume') => {
    notices.push(notice)
    wake()
  }
  return {
    channel: 'news',
    field,
    value,
    owner,
    notices,
    listener: { hear: note, resume: () => note('resume') },
    until: async (count: number) => {
      while (notices.length < count) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        await promise
      }
      return notices
    },
  }
}

describe('delivery of notifications', () => {
  test('all subscribers of that value of that field, in every process, in order', async () => {
    const [here, there] = [start(), start()]
    const [one, also, other, elsewhere] = [ear('a'), ear('a'), ear('b'), ear('a')]
    await Promise.all([one, also, other].map((each) => here.subscribe(each)))
    await there.subscribe(elsewhere)
    const numbers = [1, 2, 3]
    for (const number of numbers) await say({ about: 'a', number })
    await say({ about: 'b', from: 'a' })
    for (const each of [one, also, elsewhere]) {
      expect(await each.until(3)).toEqual(numbers.map((number) => ({ about: 'a', number })))
    }
    expect(await other.until(1)).toEqual([{ about: 'b', from: 'a' }])
    expect((await pool.query(`SELECT ${LISTENING}`)).rowCount).toBe(2)
  })

  test('no subscriber gets rolled back, earlier, or later notifications', async () => {
    const notifications = start()
    await say({ about: 'a', number: 0 })
    const [one, witness] = [ear('a'), ear('a')]
    const leave = await notifications.subscribe(one)
    await notifications.subscribe(witness)
    await pool.query(`BEGIN; SELECT pg_notify('news', '{"about":"a"}'); ROLLBACK`)
    await say({ about: 'a', number: 1 })
    await one.until(1)
    leave()
    leave()
    await say({ about: 'a', number: 2 })
    await witness.until(2)
    expect(one.notices).toEqual([{ about: 'a', number: 1 }])
    expect(notifications.count()).toBe(1)
  })

  test('a listener is not notified of what was committed before it subscribed, however late that arrives', async () => {
    const notifications = start()
    await notifications.subscribe(ear('another'))
    const rounds = 100
    const allNotices: unknown[] = []
    for (let round = 0; round < rounds; round++) {
      const one = ear('a')
      await say({ about: 'a', number: 'before' })
      const leave = await notifications.subscribe(one)
      await say({ about: 'a', number: round })
      await one.until(1)
      leave()
      allNotices.push(...one.notices)
    }
    expect(allNotices).toEqual(Array.from({ length: rounds }, (_, round) => ({ about: 'a', number: round })))
  })

  test('a malformed notification has no effect', async () => {
    const notifications = start()
    const one = ear('a')
    await notifications.subscribe(one)
    for (const payload of ['', 'null', '3', '{', '[]', '"a"', '{"about":null}', '{"__proto__":"a"}']) await say(payload)
    await say({ about: 'a' })
    expect(await one.until(1)).toEqual([{ about: 'a' }])
  })
})

describe('bounds', () => {
  test('per owner and in total; ending a subscription frees its place', async () => {
    const notifications = start({ maxTotal: 3, maxPerOwner: 2 })
    const subscribe = (owner: string) => notifications.subscribe(ear('a', owner))
    const [leave] = [await subscribe('one'), await subscribe('one')]
    await expect(subscribe('one')).rejects.toMatchObject({ code: 'rate_limited' })
    await subscribe('two')
    await expect(subscribe('two')).rejects.toMatchObject({ code: 'unavailable' })
    leave?.()
    await subscribe('one')
    expect(notifications.count()).toBe(3)
  })

  test('a failed subscription does not count', async () => {
    const notifications = start({}, 'postgres://nobody@127.0.0.1:1/nothing')
    for (let i = 0; i < 3; i++) await expect(notifications.subscribe(ear('a'))).rejects.toThrow()
    expect(notifications.count()).toBe(0)
  })
})

describe('a connection that is lost', () => {
  test('is opened again, and all subscribers resume, every time', async () => {
    const notifications = start()
    const one = ear('a')
    await notifications.subscribe(one)
    for (let round = 1; round <= 3; round++) {
      await terminate()
      expect((await one.until(2 * round - 1)).at(-1)).toBe('resume')
      await say({ about: 'a', round })
      expect((await one.until(2 * round)).at(-1)).toEqual({ about: 'a', round })
    }
    expect((await pool.query(`SELECT ${LISTENING}`)).rowCount).toBe(1)
  })

  test('is detected when the network drops all packets', async () => {
    const sockets = new Set<Socket>()
    let isSwallowing = false
    const door: Server = createServer((client) => {
      const server = tcp(Number(new URL(url).port), '127.0.0.1')
      for (const socket of [client, server]) sockets.add(socket.on('error', () => {}))
      client.on('data', (chunk) => isSwallowing || server.write(chunk))
      server.on('data', (chunk) => isSwallowing || client.write(chunk))
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    door.listen(0, '127.0.0.1', resolve)
    await promise
    const address = new URL(url)
    address.port = String((door.address() as { port: number }).port)
    const one = ear('a')
    const notifications = start({ heartbeatMs: 20, answerMs: 200 }, address.toString())
    await notifications.subscribe(one)
    isSwallowing = true
    await say({ about: 'a', number: 1 })
    // The notification is lost by then; only a new connection can reveal that.
    door.once('connection', () => {
      isSwallowing = false
    })
    expect(await one.until(1)).toEqual(['resume'])
    await say({ about: 'a', number: 2 })
    expect((await one.until(2)).at(-1)).toEqual({ about: 'a', number: 2 })
    for (const socket of sockets) socket.destroy()
    door.close()
  })

  test('after end() it stays closed and rejects subscriptions', async () => {
    const notifications = start()
    await notifications.subscribe(ear('a'))
    const { ending } = notifications
    expect(ending.aborted).toBe(false)
    await notifications.end()
    expect(ending.aborted).toBe(true)
    await expect(notifications.subscribe(ear('a'))).rejects.toMatchObject({ code: 'unavailable' })
    expect((await pool.query(`SELECT ${LISTENING}`)).rowCount).toBe(0)
  })
})
