import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createMailbox, type StatePage } from '../../../src/domain/track/change/mailbox.ts'
import type { TrackState } from '../../../src/domain/track/change/state.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { createTrack, setProgress, setStatus } from '../../support/live.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const T0 = Date.parse('2026-01-01T00:00:00Z')
const state = (trackId: string, ms = 0, progress = 0): TrackState => ({
  trackId,
  organizationId: 'o',
  collectionId: 'c',
  creatorId: null,
  status: 'processing',
  progress,
  changedAt: new Date(T0 + ms),
  isDeleted: false,
})
const nothing: StatePage = { states: [], next: null }

function open(pages: (StatePage | Error)[] = []) {
  const reads: [since: number | null, after: string | null][] = []
  let closed = 0
  const mailbox = createMailbox({
    read: async (since, after) => {
      reads.push([since && since.getTime() - T0, after])
      const page = pages.shift() ?? nothing
      if (page instanceof Error) throw page
      return page
    },
    since: null,
    began: new Date(T0),
    close: () => (closed += 1),
  })
  const take = async (count: number) => {
    const values: [string, number, number][] = []
    while (values.length < count) {
      const { value } = await mailbox.states.next()
      if (!value || value instanceof Error) throw value
      values.push([value.trackId, value.changedAt.getTime() - T0, value.progress])
    }
    return values
  }
  return { mailbox, reads, take, closed: () => closed }
}

describe('a slow client', () => {
  test('receives the newest state of each track, the one that waited longest first', async () => {
    const { mailbox, take } = open()
    for (const next of [state('a', 1), state('b', 1), state('a', 2, 10), state('a', 2, 30), state('a', 2, 20)]) {
      mailbox.put(next)
    }
    mailbox.put(state('b', 0))
    expect(await take(2)).toEqual([
      ['a', 2, 30],
      ['b', 1, 0],
    ])
  })

  test('does not fill the memory: dropped states are read again, from the oldest one', async () => {
    const { mailbox, reads, take } = open([nothing, { states: [state('x', 7)], next: null }])
    mailbox.put(state('first', 3))
    await take(1)
    for (let i = 0; i <= 1_000; i++) mailbox.put(state(`t${i}`, 5_000 - i))
    mailbox.put(state('last', 6_000))
    expect(await take(2)).toEqual([
      ['last', 6_000, 0],
      ['x', 7, 0],
    ])
    expect(reads).toEqual([
      [null, null],
      [4_000, null],
    ])
  })
})

describe('states in the database', () => {
  test('are read by pages, and never replace newer notices', async () => {
    const { mailbox, reads, take } = open([
      { states: [state('a', 1), state('b', 1)], next: 'b' },
      { states: [state('c', 1)], next: null },
    ])
    mailbox.put(state('b', 2))
    expect((await take(3)).sort()).toEqual([
      ['a', 1, 0],
      ['b', 2, 0],
      ['c', 1, 0],
    ])
    expect(reads).toEqual([
      [null, null],
      [null, 'b'],
    ])
  })

  test('are read again from the last notice, when notices may have been missed', async () => {
    const { mailbox, reads, take } = open([nothing, { states: [state('a', 9)], next: null }])
    mailbox.put(state('a', 8))
    await take(1)
    mailbox.resume()
    expect(await take(1)).toEqual([['a', 9, 0]])
    expect(reads[1]).toEqual([8, null])
  })

  test('are retried while the database is unavailable, but not for a new subscriber', async () => {
    const away = new AppError('unavailable', 'away')
    const subscriber = open([nothing, away, { states: [state('a', 1)], next: null }])
    subscriber.mailbox.put(state('b'))
    await subscriber.take(1)
    subscriber.mailbox.resume()
    expect(await subscriber.take(1)).toEqual([['a', 1, 0]])
    await expect(open([away]).mailbox.states.next()).rejects.toBe(away)
    const broken = open([nothing, new Error('broken')])
    broken.mailbox.put(state('b'))
    await broken.take(1)
    broken.mailbox.resume()
    await expect(broken.mailbox.states.next()).rejects.toThrow('broken')
    expect([subscriber.closed(), broken.closed()]).toEqual([0, 1])
  })
})

describe('the end of a stream', () => {
  test('reaches a waiting client at once, and only once', async () => {
    const { mailbox, closed } = open()
    const waiting = mailbox.states.next()
    await mailbox.states.return()
    mailbox.close()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(await mailbox.states.next()).toEqual({ done: true, value: undefined })
    expect(closed()).toBe(1)
  })

  test('is a failure, sent before all waiting states', async () => {
    const { mailbox, closed } = open()
    mailbox.put(state('a'))
    const failure = new AppError('unauthenticated', 'gone')
    mailbox.fail(failure)
    mailbox.fail(new Error('later'))
    expect(await mailbox.states.next()).toEqual({ done: false, value: failure })
    expect(await mailbox.states.next()).toEqual({ done: true, value: undefined })
    expect(closed()).toBe(1)
  })
})

describe('timestamps of the database', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.stop())

  test('increase with each status, also within a transaction, and ignore other changes', async () => {
    const id = await createTrack(service)
    const { db } = service.services
    const read = () => db.track.findUniqueOrThrow({ where: { id } })
    const stamps = [(await read()).statusChangedAt]
    await db.$transaction(async (tx) => {
      for (const status of ['processing', 'fallback_processing', 'ready'] as const) {
        await tx.track.update({ where: { id }, data: { status } })
        stamps.push((await tx.track.findUniqueOrThrow({ where: { id } })).statusChangedAt)
      }
    })
    await service.v1('PUT', `/track/${id}`, { body: { player_title: 'T' } })
    expect((await read()).statusChangedAt).toEqual(stamps.at(-1) as Date)
    await service.v1('DELETE', `/track/${id}`)
    stamps.push((await read()).statusChangedAt)
    expect(new Set(stamps.map(Number)).size).toBe(5)
    expect(stamps).toEqual([...stamps].sort((a, b) => a.getTime() - b.getTime()))
  })

  test('progress restarts with a run, continues in a fallback, and is at most 99', async () => {
    const id = await createTrack(service)
    const progress = async () => (await service.services.db.track.findUniqueOrThrow({ where: { id } })).progress
    await setStatus(service, id, 'processing')
    await setProgress(service, id, 60)
    await setStatus(service, id, 'fallback_processing')
    expect(await progress()).toBe(60)
    await setStatus(service, id, 'ready')
    await setStatus(service, id, 'processing')
    expect(await progress()).toBe(0)
    await expect(setProgress(service, id, 100)).rejects.toThrow('track_progress_is_percent')
  })
})
