import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reasons } from '../../src/platform/media/ffmpeg/reasons.ts'
import { makeMedia, tone } from '../support/audio.ts'
import { readTrack } from '../support/processed.ts'
import { type Lure, linked, lists, movies, names } from '../support/references.ts'
import { type Json, startTestService, type TestService, uploadTrack } from '../support/service.ts'
import { FFMPEG } from '../support/tools.ts'

// No upload leads to another file or another host. The evidence would be the canary's tone, its text, or a connection to
// the listener.
const CANARY_HZ = 3000
const SECRET = 'canary-that-nobody-may-hear'
let folder: string
let lure: Lure
let connections = 0
const listener = Bun.listen({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    open(socket) {
      connections += 1
      socket.end()
    },
    data() {},
  },
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-canary-'))
  lure = { file: join(folder, 'canary.mp3'), host: `127.0.0.1:${listener.port}` }
  await Bun.write(lure.file, await tone(2, 'mp3', { hz: CANARY_HZ, codec: ['-metadata', `title=${SECRET}`] }))
})
afterAll(async () => {
  listener.stop(true)
  await rm(folder, { recursive: true })
})

/** Level of the canary's tone in a sound, in dBFS. */
async function canaryLevel(input: string[]): Promise<number> {
  const band = Array(4)
    .fill(`highpass=f=${CANARY_HZ - 100}`)
    .join(',')
  const raw = await makeMedia([...input, '-af', band, '-ac', '1', '-c:a', 'pcm_s16le', '-f', 's16le'], 'raw')
  const samples = new Int16Array(raw.buffer, 0, raw.length >> 1)
  const square = samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length)
  return 10 * Math.log10(square / 2 ** 30 + 1e-12)
}

const QUIET_DB = -60

test('without what is to be proven, the canary is heard and the listener is asked', async () => {
  const list = join(folder, 'list.txt')
  await Bun.write(list, `file '${lure.file}'\n`)
  expect(await canaryLevel(['-f', 'concat', '-safe', '0', '-i', list])).toBeGreaterThan(QUIET_DB + 20)
  await Bun.spawn([FFMPEG, '-v', 'quiet', '-i', `http://${lure.host}/a.mp3`]).exited
  expect(connections).toBeGreaterThan(0)
  connections = 0
})

const bounds = [
  { what: 'with all that bounds programs here', tools: {} },
  {
    what: 'by the options of the programs alone',
    tools: { sandbox: [], runtimeSandbox: [], fileView: null, pictureView: null },
  },
]
describe.each(bounds)('no upload leads anywhere, $what', ({ tools }) => {
  let service: TestService
  const uploads: { id: string; name: string; isSound: boolean }[] = []
  beforeAll(async () => {
    service = await startTestService()
    Object.assign(service.services.tools, tools)
    const { db } = service.services
    await db.variant.updateMany({ where: { index: { in: ['lq', 'preview'] } }, data: { deletedAt: new Date() } })
    const [wav, mp3, m4a] = await Promise.all([tone(0.5), tone(0.5, 'mp3'), tone(0.5, 'm4a')])
    const attached = ['-attach', lure.file, '-metadata:s:t', 'mimetype=audio/mpeg', '-metadata', `title=${lure.file}`]
    const mka = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=0.5', ...attached, '-c:a', 'flac'], 'mka')
    const send = async (name: string, bytes: Uint8Array<ArrayBuffer>, isSound: boolean) =>
      uploads.push({ id: await uploadTrack(service, bytes, name), name, isSound })
    for (const [name, bytes] of lists(lure)) await send(name, bytes, false)
    for (const [name, bytes] of movies(lure, m4a)) await send(name, bytes, true)
    await send('linked.mp3', linked(lure, mp3), true)
    for (const name of names(lure)) await send(name, wav, true)
    await send('attached.mka', mka, true)
    await Promise.all([service.runJobs(), service.runJobs()])
  }, 240_000)
  afterAll(() => service.stop())

  test('every track ends, what is no recording with a reason', async () => {
    for (const { id, name, isSound } of uploads) {
      const { track } = await readTrack(service, id)
      const { track_status_id: status, status_code: code } = track
      expect([name, ['ready', 'incomplete', 'error', 'init_error'].includes(status)]).toEqual([name, true])
      if (!isSound) expect([name, status]).toEqual([name, 'init_error'])
      if (status.endsWith('error')) expect([name, Object.keys(reasons)]).toEqual([name, expect.arrayContaining([code])])
    }
  }, 60_000)

  test('nothing of the canary is in what was made', async () => {
    let files = 0
    for (const { id, name } of uploads) {
      const trackFiles = (await readTrack(service, id)).files as Json
      // The original contains the uploaded bytes.
      for (const [index, file] of Object.entries<Json>(trackFiles).filter(([index]) => index !== 'original')) {
        if (!file.is_success) continue
        const bytes = new Uint8Array(await (await service.fetchEdge(file.url)).arrayBuffer())
        expect([name, index, Buffer.from(bytes).includes(SECRET)]).toEqual([name, index, false])
        files += 1
        if (index !== 'hq') continue
        const local = join(folder, `${id}.m4a`)
        await Bun.write(local, bytes)
        expect([name, (await canaryLevel(['-i', local])) < QUIET_DB]).toEqual([name, true])
      }
    }
    expect(files).toBeGreaterThan(10)
  }, 120_000)

  test('sends no request over the network, and the worker goes on', async () => {
    expect(connections).toBe(0)
    const id = await uploadTrack(service, await tone(0.5), 'next.wav')
    await service.runJobs()
    expect((await readTrack(service, id)).track.track_status_id).toBe('ready')
    expect(connections).toBe(0)
  }, 60_000)
})
