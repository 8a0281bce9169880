import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { uploadAreas } from '../../.config/web.ts'
import { TonearmError } from '../../src/client/error.ts'
import { ApiError } from '../../src/web/session/api.ts'
import { suggestAlbum } from '../../src/web/upload/album.ts'
import { choose, chooseListed, findCover, isRecording, MAX_FILES, readDrop } from '../../src/web/upload/files.ts'
import { createMemory, MAX_REMEMBERED, type UnfinishedUpload } from '../../src/web/upload/memory.ts'
import { createPace } from '../../src/web/upload/pace.ts'
import { createQueue, MAX_FAULTS, MAX_SENDING } from '../../src/web/upload/queue.ts'
import type { CreatedTrack, TrackState, UploadService } from '../../src/web/upload/service.ts'
import {
  findPlaces,
  findStage,
  isBusy,
  type Phase,
  type QueueState,
  selectRows,
  toQueueState,
} from '../../src/web/upload/state.ts'

test('the uploader page contains the texts that it uses, and no others', async () => {
  const web = join(import.meta.dir, '../../src/web')
  const files = ['*.ts', 'upload/*.{ts,tsx}', 'design/*.{ts,tsx}'].flatMap((pattern) => [
    ...new Glob(pattern).scanSync(web),
  ])
  expect(files.length).toBeGreaterThan(15)
  const areas = files.flatMap((file) =>
    [...readFileSync(join(web, file), 'utf8').matchAll(/\b(?:t|textOfCode)\(\s*(?:[\w\s=?]*\?\s*)?['`](\w+)/g)].map(
      ([, area = '']) => area,
    ),
  )
  expect([...new Set(areas)].sort()).toEqual([...uploadAreas].sort())
})

const createFile = (name: string, type = 'audio/wav', text = 'sound') => new File([text], name, { type })
const chosen = (...names: string[]) => names.map((name) => ({ file: createFile(name), name }))
const album = { id: 'album', openSession: async () => 'session' }
const refusal = (status: number, code: string) => new TonearmError(status, code, `refused: ${code}`, null)

/** A service whose uploads end when the test ends them. */
function start({ firstPauseMs = 1 } = {}) {
  const sent: { name: string; trackId: string; end: (error?: Error) => void }[] = []
  const [cancelled, created]: [string[], string[]] = [[], []]
  const refusals: Error[] = []
  const states = new Map<string, Partial<TrackState>>()
  const service: UploadService = {
    async create(sessionId, { name }) {
      const refused = refusals.shift()
      if (refused) throw refused
      created.push(name)
      return createTrack(`${name} ${created.length}`, sessionId)
    },
    send: ({ name }, { upload_url: trackId }, { signal, onProgress }) =>
      new Promise((resolve, reject) => {
        onProgress?.(1, 4)
        signal?.addEventListener('abort', () => reject(signal.reason))
        sent.push({ name, trackId, end: (error) => (error ? reject(error) : resolve()) })
      }),
    cancel: async ({ upload_url }) => void cancelled.push(upload_url),
    sendCover: async () => {},
    read: async (_, ids) => {
      const refused = refusals.shift()
      if (refused) throw refused
      return ids.map((id) => ({
        id,
        status: 'ready',
        progressPercent: 0,
        statusCode: null,
        statusText: null,
        ...states.get(id),
      }))
    },
  }
  const queue = createQueue(service, { notifyMs: 1, firstWaitMs: 5, firstPauseMs })
  /** Waits until the listeners were notified of a state. */
  const until = (isMet: (state: QueueState) => boolean) =>
    new Promise<QueueState>((resolve) => {
      const look = () => {
        if (!isMet(queue.read())) return
        end()
        resolve(queue.read())
      }
      const end = queue.subscribe(look)
      look()
    })
  const all = (...phases: Phase[]) =>
    until(({ uploads }) => JSON.stringify(uploads.map(({ phase }) => phase)) === JSON.stringify(phases))
  return { queue, sent, cancelled, created, refusals, states, until, all }
}

const createTrack = (trackId: string, sessionId = 'session'): CreatedTrack => ({
  trackId,
  sessionId,
  coverUpload: { upload_url: trackId },
  upload: { method: 'PUT', upload_url: trackId, ttl: 3600, expires_at: '' },
})

describe('the queue', () => {
  test(`sends ${MAX_SENDING} files at once, and the next one when one of them ends`, async () => {
    const { queue, sent, all } = start()
    queue.add(chosen('1', '2', '3', '4', '5'), album)
    await all('sending', 'sending', 'sending', 'waiting', 'waiting')
    expect(sent.map(({ name }) => name)).toEqual(['1', '2', '3'])
    sent[1]?.end()
    await all('sending', 'ready', 'sending', 'sending', 'waiting')
    expect(sent.map(({ name }) => name)).toEqual(['1', '2', '3', '4'])
  })

  test('tracks are created in the order of the files, although a later request could be faster', async () => {
    const { queue, created, all, until } = start()
    const slow = Promise.withResolvers<string>()
    queue.add(chosen('1'), { id: 'slow', openSession: () => slow.promise })
    queue.add(chosen('2', '3'), album)
    await all('sending', 'sending', 'sending')
    slow.resolve('session')
    await until(({ uploads }) => uploads.every(({ percent }) => percent === 25))
    expect(created).toEqual(['1', '2', '3'])
  })

  test('a paused file continues with the same track', async () => {
    const { queue, sent, created, all, until } = start()
    queue.add(chosen('1'), album)
    const { uploads } = await until(({ uploads }) => uploads[0]?.percent === 25)
    const id = uploads[0]?.id ?? 0
    queue.pause(id)
    await all('paused')
    expect(isBusy(queue.read())).toBe(true)
    queue.resume(id)
    await all('sending')
    sent[1]?.end()
    await all('ready')
    expect(created).toEqual(['1'])
    expect(sent[1]?.trackId).toBe(sent[0]?.trackId ?? '')
    expect(isBusy(queue.read())).toBe(false)
  })

  test('all files are paused and continued', async () => {
    const { queue, all } = start()
    queue.add(chosen('1', '2', '3', '4'), album)
    await all('sending', 'sending', 'sending', 'waiting')
    queue.pauseAll()
    await all('paused', 'paused', 'paused', 'paused')
    queue.resumeAll()
    await all('sending', 'sending', 'sending', 'waiting')
  })

  test.each([
    ['a lost connection', new TypeError('connection'), 'connection was lost'],
    ['a proxy without a service', refusal(502, 'bad_gateway'), ''],
    ['a limit of requests', refusal(429, 'rate_limited'), ''],
    ['a lost connection of another request of the page', new ApiError('unreachable', 'cannot be reached'), 'cannot be'],
  ])('a file is sent again to the same track after %s', async (_, failure, text) => {
    const { queue, sent, created, all, until } = start()
    queue.add(chosen('1'), album)
    await all('sending')
    sent[0]?.end(failure)
    const { uploads } = await until(({ uploads }) => uploads[0]?.isRetryable === true || sent.length > 1)
    expect(uploads[0]?.problem ?? text).toContain(text)
    await until(() => sent.length > 1)
    sent[1]?.end()
    await all('ready')
    expect(created).toEqual(['1'])
  })

  test('files wait while the service is away, in their order, and none fails', async () => {
    const { queue, sent, created, refusals, all, until } = start()
    refusals.push(...Array.from({ length: 8 }, () => refusal(503, 'unavailable')))
    queue.add(chosen('1', '2', '3', '4', '5'), album)
    const states: QueueState[] = []
    queue.subscribe(() => states.push(queue.read()))
    await until(() => sent.length === 3)
    for (const upload of sent) upload.end()
    await until(() => sent.length === 5)
    for (const upload of sent) upload.end()
    await all('ready', 'ready', 'ready', 'ready', 'ready')
    expect(created).toEqual(['1', '2', '3', '4', '5'])
    expect(states.map(({ counts }) => counts.failed)).not.toContain(1)
  })

  test.each(['reconnect', 'retry'] as const)('%s ends the pause', async (way) => {
    const { queue, sent, until } = start({ firstPauseMs: 3_600_000 })
    queue.add(chosen('1', '2'), album)
    await until(() => sent.length === 2)
    sent[0]?.end(new TypeError('connection'))
    const { uploads } = await until(({ uploads }) => uploads[0]?.isRetryable === true)
    expect(uploads[0]).toMatchObject({ phase: 'waiting', problem: expect.stringContaining('connection was lost') })
    if (way === 'retry') queue.retry(uploads[0]?.id ?? 0)
    else queue.reconnect()
    await until(() => sent.length === 3)
    await until(({ uploads }) => uploads[0]?.problem === null)
  })

  /** Ends the next tries of a file with these refusals. */
  async function refuseTries({ sent, until }: ReturnType<typeof start>, name: string, refusals: readonly Error[]) {
    const isOf = (upload: { name: string }) => upload.name === name
    const before = sent.filter(isOf).length
    for (const [at, refused] of refusals.entries()) {
      await until(() => sent.filter(isOf).length >= before + at)
      sent.findLast(isOf)?.end(refused)
    }
  }
  const faults = (count: number) => Array.from({ length: count }, () => refusal(500, 'internal'))

  test('a file that the service answers with faults has failed in the end, and continues with its track', async () => {
    const site = start()
    const { queue, sent, created, all, until } = site
    queue.add(chosen('1', '2'), album)
    await until(() => sent.length === 2)
    sent[1]?.end()
    await refuseTries(site, '1', faults(MAX_FAULTS))
    const { uploads } = await all('failed', 'ready')
    expect(uploads[0]).toMatchObject({ isRetryable: true, problem: expect.stringContaining('wrong') })
    queue.retryAll()
    await until(() => sent.length === MAX_FAULTS + 2)
    await refuseTries(site, '1', faults(MAX_FAULTS - 1))
    await until(() => sent.length === 2 * MAX_FAULTS + 1)
    sent.at(-1)?.end()
    await all('ready', 'ready')
    expect(created).toEqual(['1', '2'])
  })

  test('faults that are not in a row let a file wait', async () => {
    const site = start()
    const { queue, sent, all, until } = site
    queue.add(chosen('1'), album)
    await all('sending')
    await refuseTries(site, '1', [...faults(MAX_FAULTS - 1), refusal(503, 'unavailable'), ...faults(MAX_FAULTS - 1)])
    await until(() => sent.length === 2 * MAX_FAULTS)
    sent.at(-1)?.end()
    await all('ready')
  })

  test('another try after a refusal creates a new track', async () => {
    const { queue, sent, created, all } = start()
    queue.add(chosen('1'), album)
    await all('sending')
    sent[0]?.end(refusal(410, 'expired'))
    const { uploads } = await all('failed')
    expect(uploads[0]?.problem).toBe('The time for this upload is over.')
    queue.reconnect()
    await all('failed')
    queue.retryAll()
    await all('sending')
    expect(created).toEqual(['1', '1'])
  })

  test('the end of the session fails the files that wait, without a request for each', async () => {
    const { queue, created, refusals, all } = start()
    refusals.push(...Array.from({ length: MAX_SENDING }, () => refusal(410, 'expired')))
    queue.add(chosen('1', '2', '3', '4', '5'), album)
    await all('failed', 'failed', 'failed', 'failed', 'failed')
    expect(created).toEqual([])
  })

  test('a refused file does not stop the others', async () => {
    const { queue, refusals, all } = start()
    refusals.push(refusal(413, 'too_large'))
    queue.add(chosen('1', '2'), album)
    await all('failed', 'sending')
  })

  test('a removed file is cancelled, also one that is being sent', async () => {
    const { queue, sent, cancelled, all } = start()
    queue.add(chosen('1', '2'), album)
    const { uploads } = await all('sending', 'sending')
    for (const { id } of uploads) queue.remove(id)
    await all()
    expect(cancelled).toEqual(sent.map(({ trackId }) => trackId))
  })

  test('files that are done or failed are dismissed, and others stay', async () => {
    const { queue, sent, refusals, all } = start()
    refusals.push(refusal(413, 'too_large'))
    queue.add(chosen('1', '2', '3'), album)
    await all('failed', 'sending', 'sending')
    sent[0]?.end()
    await all('failed', 'ready', 'sending')
    queue.dismiss()
    await all('sending')
  })

  test('a cover is sent in its turn, again after a failure that passes, and followed until it is shown', async () => {
    const { queue, all } = start()
    const processing = Promise.withResolvers<boolean>()
    const failures = [new TypeError('connection')]
    const names: string[] = []
    queue.addCover({ file: createFile('front.jpg', 'image/jpeg'), name: 'front.jpg' }, async ({ name }) => {
      names.push(name)
      const failure = failures.pop()
      if (failure) throw failure
      return () => processing.promise
    })
    const { uploads } = await all('processing')
    expect([uploads[0]?.kind, names]).toEqual(['cover', ['front.jpg', 'front.jpg']])
    processing.resolve(true)
    await all('ready')
  })

  test.each([
    ['is not shown in time', async () => false],
    ['cannot be read', () => Promise.reject(new TypeError('connection'))],
  ])('a cover that %s has arrived nevertheless', async (_, untilShown) => {
    const { queue, all } = start()
    queue.addCover({ file: createFile('a.png', 'image/png'), name: 'a.png' }, async () => untilShown)
    const { uploads } = await all('sent')
    expect(uploads[0]?.problem).toContain('takes longer than usual')
  })

  test('a refused cover fails alone', async () => {
    const { queue, all } = start()
    const isSent = new Promise<() => Promise<boolean>>(() => {})
    for (const name of ['1', '2', '3', '4']) {
      const refuse = name === '1' && (() => Promise.reject(refusal(410, 'expired')))
      queue.addCover({ file: createFile(name, 'image/png'), name }, refuse || (() => isSent))
    }
    await all('failed', 'sending', 'sending', 'sending')
  })

  test('a file that is complete is removed without being cancelled', async () => {
    const { queue, sent, cancelled, all } = start()
    queue.add(chosen('1'), album)
    await all('sending')
    sent[0]?.end()
    await all('ready')
    queue.clear()
    await all()
    expect(cancelled).toEqual([])
  })

  test('the first file is sent to a prepared track, and to a new one if that is refused', async () => {
    const { queue, sent, all, until } = start()
    const [first, second] = chosen('1', '2')
    if (first && second) queue.add([{ ...first, created: createTrack('prepared') }, second], album)
    await all('sending', 'sending')
    expect(sent.map(({ trackId }) => trackId)).toEqual(['prepared', '2 1'])
    sent[0]?.end(refusal(409, 'upload_completed'))
    await until(() => sent.length === 3)
    expect(sent[2]?.trackId).toBe('1 2')
  })

  test.each([
    ['ready', 'ready', null],
    ['incomplete', 'ready', 'why'],
    ['error', 'failed', 'why'],
    ['init_error', 'failed', 'why'],
  ] as const)('a track that becomes %s is shown as %s', async (status, phase, problem) => {
    const { queue, sent, states, all } = start()
    states.set('1 1', { status, statusText: problem })
    queue.add(chosen('1'), album)
    await all('sending')
    sent[0]?.end()
    const { uploads } = await all(phase)
    expect(uploads[0]).toMatchObject({ problem, isRetryable: false })
  })

  test('a track is followed until it is final', async () => {
    const { queue, sent, states, all, until } = start()
    states.set('1 1', { status: 'processing', progressPercent: 40 })
    queue.add(chosen('1'), album)
    await all('sending')
    sent[0]?.end()
    await until(({ uploads }) => uploads[0]?.percent === 40)
    states.set('1 1', { status: 'ready' })
    await all('ready')
  })

  test('after the end of the session the state of the processing is not known', async () => {
    const { queue, sent, refusals, all } = start()
    queue.add(chosen('1'), album)
    await all('sending')
    refusals.push(refusal(410, 'expired'))
    sent[0]?.end()
    await all('sent')
  })
})

describe('the memory of uploads', () => {
  const HOUR_MS = 3_600_000
  /** Tabs of one browser. */
  function openBrowser() {
    const items = new Map<string, string>()
    const ends = new Map<string, Promise<unknown>>()
    let [at, tabs] = [0, 0]
    const states = new Map<string, TrackState['status'] | Error>()
    const store = {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, text: string) => void items.set(key, text),
      removeItem: (key: string) => void items.delete(key),
    }
    /** A lock is free when the work of the one before has ended. */
    const locks = {
      request(name: string, ...rest: unknown[]) {
        const work = rest.at(-1) as () => Promise<unknown>
        const end = (ends.get(name) ?? Promise.resolve()).then(work)
        ends.set(name, end)
        return end
      },
    } as unknown as LockManager
    async function read(_: string, ids: readonly string[]): Promise<TrackState[]> {
      return ids.flatMap((id) => {
        const status = states.get(id) ?? 'initialized'
        if (status instanceof Error) throw status
        return status === 'deleted' ? [] : { id, status, progressPercent: 0, statusCode: null, statusText: null }
      })
    }
    /** @param isSecure whether the page has locks */
    async function openTab({ scope = 'label', isSecure = true } = {}) {
      const key = `tab-${++tabs}`
      const memory = createMemory(scope, read, {
        store,
        keys: () => [...items.keys()],
        locks: isSecure ? locks : undefined,
        createId: () => key,
        now: () => at,
      })
      void memory.start()
      // Its adoption needs no timers.
      await new Promise((resolve) => setImmediate(resolve))
      return memory
    }
    /** Ends a tab without its memory, as a reload does. */
    const closeTab = (number: number) => {
      ends.delete(`tonearm.uploads.label.tab-${number}`)
      return openTab()
    }
    return { items, states, openTab, closeTab, wait: (ms: number) => (at += ms) }
  }
  const file = { name: '1', size: 5, lastModified: 7 }
  const upload = (fields: Partial<UnfinishedUpload> = {}): UnfinishedUpload => ({
    destinationId: 'album',
    fileName: '1',
    bytes: 5,
    lastModified: 7,
    addedAt: 0,
    created: createTrack('track'),
    ...fields,
  })
  const names = (uploads: readonly UnfinishedUpload[]) => uploads.map(({ fileName }) => fileName)

  test('another drop of the same file takes the track of an upload that was interrupted, once', async () => {
    const { openTab, closeTab } = openBrowser()
    ;(await openTab()).remember([upload(), upload({ fileName: '2', created: null })])
    const memory = await closeTab(1)
    expect(names(memory.read())).toEqual(['1', '2'])
    expect(memory.take(file, 'album')?.created?.trackId).toBe('track')
    expect(memory.take(file, 'album')).toBeNull()
    expect(names(memory.read())).toEqual(['2'])
  })

  test.each([
    ['name', { ...file, name: '3' }, 'album'],
    ['size', { ...file, size: 6 }, 'album'],
    ['time of change', { ...file, lastModified: 8 }, 'album'],
    ['collection', file, 'other'],
  ])('a file of another %s takes nothing', async (_, other, destinationId) => {
    const { openTab, closeTab } = openBrowser()
    ;(await openTab()).remember([upload()])
    const memory = await closeTab(1)
    expect(memory.take(other, destinationId)).toBeNull()
    expect(memory.take(file, null)).not.toBeNull()
  })

  test('uploads of a tab that is open are not interrupted, nor those of another organization', async () => {
    const { openTab } = openBrowser()
    ;(await openTab()).remember([upload()])
    ;(await openTab({ scope: 'other', isSecure: false })).remember([upload()])
    expect((await openTab()).read()).toEqual([])
    // Without locks a page cannot know the open tabs.
    expect(names((await openTab({ isSecure: false })).read())).toEqual(['1'])
  })

  test.each([
    ['has arrived', 'processing'],
    ['belongs to a deleted track', 'deleted'],
    ['has an ended upload session', refusal(410, 'expired')],
  ])('an upload that %s is forgotten', async (_, status) => {
    const { openTab, closeTab, states } = openBrowser()
    states.set('track', status)
    ;(await openTab()).remember([upload(), upload({ fileName: '2', created: null })])
    expect(names((await closeTab(1)).read())).toEqual(['2'])
  })

  test('an upload stays while the service is away, and is forgotten after a day', async () => {
    const { openTab, closeTab, states, wait, items } = openBrowser()
    states.set('track', refusal(503, 'unavailable'))
    ;(await openTab()).remember([upload()])
    wait(24 * HOUR_MS - 1)
    expect(names((await closeTab(1)).read())).toEqual(['1'])
    wait(1)
    expect((await closeTab(2)).read()).toEqual([])
    expect([...items.keys()]).toEqual([])
  })

  test('nothing is left in the browser after a dismissal, the end of all uploads, or the end of the session', async () => {
    const { openTab, closeTab, items } = openBrowser()
    const first = await openTab()
    first.remember([upload()])
    first.remember([])
    expect(items.size).toBe(0)
    first.remember([upload()])
    const second = await closeTab(1)
    expect(names(second.dismiss())).toEqual(['1'])
    expect(items.size).toBe(0)
    second.remember([upload()])
    second.end()
    second.remember([upload({ fileName: '2' })])
    expect(items.size).toBe(0)
  })

  test(`at most ${MAX_REMEMBERED} uploads are remembered, and text of others is ignored`, async () => {
    const { openTab, closeTab, items } = openBrowser()
    items.set('tonearm.uploads.label.broken', '{')
    const many = Array.from({ length: MAX_REMEMBERED + 1 }, (_, at) => upload({ fileName: `${at}`, created: null }))
    ;(await openTab()).remember(many)
    expect((await closeTab(1)).read()).toHaveLength(MAX_REMEMBERED)
  })

  test('the queue names the files whose bytes have not all arrived, with their tracks, and ends them', async () => {
    const { queue, sent, refusals, cancelled, all, until } = start()
    refusals.push(refusal(413, 'too_large'))
    queue.add(chosen('1', '2', '3', '4', '5'), album)
    queue.addCover({ file: createFile('a.png', 'image/png'), name: 'a.png' }, () => new Promise(() => {}))
    await all('failed', 'sending', 'sending', 'sending', 'waiting', 'waiting')
    sent[0]?.end()
    await all('failed', 'ready', 'sending', 'sending', 'sending', 'waiting')
    const unfinished = queue.listUnfinished()
    expect(unfinished.map(({ fileName, created }) => [fileName, created?.trackId ?? null])).toEqual([
      ['3', '3 2'],
      ['4', '4 3'],
      ['5', '5 4'],
    ])
    expect(unfinished[0]).toMatchObject({ destinationId: 'album', bytes: 5 })
    queue.discard(unfinished.slice(0, 1))
    await until(() => cancelled.length > 0)
    expect(cancelled).toEqual(['3 2'])
  })
})

describe('the whole of a queue', () => {
  const summarize = (...files: [Phase, number][]) =>
    toQueueState(
      files.map(([phase, percent], id) => ({ id, phase, percent, bytes: 1000 }) as QueueState['uploads'][number]),
    )

  test.each<[string, string, [Phase, number][]]>([
    [
      'sending',
      'while a file is sent',
      [
        ['sending', 50],
        ['ready', 100],
      ],
    ],
    [
      'sending',
      'while a file waits',
      [
        ['waiting', 0],
        ['paused', 50],
      ],
    ],
    [
      'paused',
      'while the rest is paused',
      [
        ['paused', 50],
        ['processing', 20],
      ],
    ],
    [
      'processing',
      'after the last byte',
      [
        ['processing', 20],
        ['failed', 0],
      ],
    ],
    [
      'ended',
      'when each file is ready, sent or failed',
      [
        ['ready', 100],
        ['sent', 0],
        ['failed', 0],
      ],
    ],
  ])('is %s %s', (stage, _, files) => {
    expect(findStage(summarize(...files))).toBe(stage as ReturnType<typeof findStage>)
  })

  test('a file that is processed has all its bytes, and a failed one counts for nothing', () => {
    const { progress } = summarize(['waiting', 0], ['sending', 25], ['processing', 3], ['sent', 0], ['failed', 60])
    expect(progress).toEqual({ sentBytes: 2250, totalBytes: 4000 })
  })

  test('the time left follows the bytes of the last half minute', () => {
    let at = 0
    const { estimate, reset } = createPace(() => at)
    const after = (ms: number, sentBytes: number) => {
      at += ms
      return estimate({ sentBytes, totalBytes: 100_000 })
    }
    expect(after(0, 0)).toBeNull()
    expect(after(2999, 3000)).toBeNull()
    expect(after(2001, 5000)).toBe(95)
    // Faster, and half a minute later the slow begin has no effect.
    expect(after(30_000, 65_000)).toBeCloseTo(17.5, 1)
    // A file was removed.
    expect(after(1000, 1000)).toBeNull()
    expect(after(3000, 4000)).toBe(96)
    reset()
    expect(after(3000, 7000)).toBeNull()
  })
})

describe('files', () => {
  test.each([
    ['song.wav', 'audio/wav', true],
    ['memo.MOV', 'video/quicktime', true],
    ['take.caf', '', true],
    ['take.FLAC', '', true],
    ['list.m3u', 'audio/x-mpegurl', false],
    ['score.mid', 'audio/midi', false],
    ['front.jpg', 'image/jpeg', false],
    ['notes', '', false],
    ['._song.wav', 'audio/wav', false],
  ])('%s of type "%s" may be a recording: %p', (name, type, isAudio) => {
    expect(isRecording({ name, type })).toBe(isAudio)
  })

  test('files that are empty or not audio are named, hidden ones are not', () => {
    const { files, skipped } = chooseListed([
      createFile('a.wav'),
      createFile('b.txt', 'text/plain'),
      createFile('.x'),
      createFile('c.wav', '', ''),
    ])
    expect(files.map(({ name }) => name)).toEqual(['a.wav'])
    expect(skipped).toEqual(['b.txt', 'c.wav'])
  })

  test('pictures are apart from recordings', () => {
    const { files, pictures, skipped } = chooseListed([
      createFile('a.wav'),
      createFile('front.JPG', ''),
      createFile('back', 'image/webp'),
      createFile('scan.tif', 'image/tiff'),
      createFile('empty.png', 'image/png', ''),
      createFile('._cover.jpg', 'image/jpeg'),
    ])
    expect([files, pictures].map((list) => list.map(({ name }) => name))).toEqual([['a.wav'], ['back', 'front.JPG']])
    expect(skipped).toEqual(['empty.png', 'scan.tif'])
  })

  test.each([
    ['front.png', ['back.jpg', 'front.png']],
    ['Folder.jpg', ['album cover.jpg', 'Folder.jpg']],
    ['Night Bakery cover.jpg', ['band.jpg', 'back cover.jpg', 'Night Bakery cover.jpg']],
    ['album/cover.jpg', ['album/disc 1/cover.jpg', 'album/cover.jpg']],
    ['1.jpg', ['1.jpg', '2.jpg']],
    [null, []],
  ])('%p is the cover among %p', (cover, names) => {
    const pictures = names.map((name) => ({ file: createFile(name.split('/').at(-1) ?? '', 'image/jpeg'), name }))
    expect(findCover(pictures)?.name ?? null).toBe(cover)
  })

  test.each([
    ['Night Bakery', 'Ada Lund', ['Ada Lund/Night Bakery/01.wav', 'Ada Lund/Night Bakery/disc 2/02.wav']],
    ['Night Bakery', 'Ada Lund', ['Ada Lund - Night Bakery/01.wav']],
    ['Live - Berlin', 'Ada Lund', ['Ada Lund - Live - Berlin/01.wav']],
    ['Night Bakery', '', ['Night Bakery/01.wav', 'Night Bakery/02.wav']],
    ['', '', ['Night Bakery/01.wav', 'Salt/01.wav']],
    ['', '', ['01.wav', 'Night Bakery/02.wav']],
    ['', '', []],
  ])('the album is %p by %p in the folders of %p', (title, artist, names) => {
    expect(suggestAlbum(names.map((name) => ({ file: createFile('1.wav'), name })))).toEqual({ title, artist })
  })

  test('there is a limit of the files of one choice', () => {
    const file = createFile('a.wav')
    const many = (count: number) => choose(Array.from({ length: count }, () => ({ file, name: 'a.wav' })))
    expect(many(MAX_FILES)).toMatchObject({ isCut: false })
    const { files, isCut } = many(MAX_FILES + 1)
    expect([files.length, isCut]).toEqual([MAX_FILES, true])
  })

  test('dropped folders are read in the order of names, and unreadable files are named', async () => {
    const createEntry = (path: string, isReadable = true) => ({
      isDirectory: false,
      name: path.split('/').at(-1),
      fullPath: path,
      file: (resolve: (file: File) => void, reject: (error: Error) => void) =>
        isReadable ? resolve(createFile(path.split('/').at(-1) ?? '')) : reject(new Error('locked')),
    })
    const createFolder = (path: string, pages: unknown[][]) => ({
      isDirectory: true,
      name: path.split('/').at(-1),
      fullPath: path,
      createReader: () => ({ readEntries: (resolve: (page: unknown[]) => void) => resolve(pages.shift() ?? []) }),
    })
    const album = createFolder('/album', [
      [createEntry('/album/10.wav'), createFolder('/album/3', [[createEntry('/album/3/deep.wav')]])],
      [createEntry('/album/2.wav'), createEntry('/album/locked.wav', false)],
    ])
    // Several files in the accidental order of a selection.
    const items = [createEntry('/last.wav'), createEntry('/first.wav'), album].map((entry) => ({
      kind: 'file',
      webkitGetAsEntry: () => entry,
    }))
    const { files, skipped } = await readDrop({ items } as unknown as DataTransfer)
    expect(files.map(({ name }) => name)).toEqual([
      'album/2.wav',
      'album/3/deep.wav',
      'album/10.wav',
      'first.wav',
      'last.wav',
    ])
    expect(skipped).toEqual(['album/locked.wav'])
  })
})

test('a long list shows failed files and those in progress, in their order', () => {
  const upload = (id: number, phase: Phase) => ({ id, phase }) as QueueState['uploads'][number]
  const uploads = Array.from({ length: 300 }, (_, id) => upload(id, id < 150 ? 'ready' : 'waiting'))
  uploads[10] = upload(10, 'failed')
  const rows = selectRows(uploads)
  expect(rows).toHaveLength(100)
  expect(rows.slice(0, 3).map(({ id }) => id)).toEqual([10, 150, 151])
  expect(selectRows(uploads.slice(0, 100))).toHaveLength(100)
})

test('files that wait have a place: to be sent, and to be processed after those that are', () => {
  const states: [Phase, number][] = [
    ['ready', 100],
    ['processing', 0],
    ['sending', 40],
    ['processing', 12],
    ['processing', 0],
    ['waiting', 0],
    ['failed', 0],
    ['waiting', 0],
  ]
  const uploads = states.map(
    ([phase, percent], id) => ({ id, kind: 'recording', phase, percent }) as QueueState['uploads'][number],
  )
  expect(
    findPlaces([...uploads, { ...uploads[1], id: 8, kind: 'cover' } as QueueState['uploads'][number]]).get(8),
  ).toBeUndefined()
  expect([...findPlaces(uploads)]).toEqual([
    [1, 2],
    [4, 3],
    [5, 1],
    [7, 2],
  ])
})
