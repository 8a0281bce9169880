import { beforeAll, describe, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Services } from '../../../src/platform/context.ts'
import { makeMedia } from '../../support/audio.ts'
import { runTask } from '../../support/jobs.ts'
import { readTrack } from '../../support/processed.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'
import { sandboxedTools } from '../../support/tools.ts'

const service = useTestService(undefined, sandboxedTools)
const SECONDS = 3

const sine = async (seconds: number, extension: string, ...args: string[]) =>
  Buffer.from(await makeMedia(['-f', 'lavfi', '-i', `sine=d=${seconds}:r=44100`, ...args], extension))

/** The number of samples of a FLAC file, in the 36 bits after 13 bytes of its first block. */
function announcing(flac: Buffer, samples: number): Buffer {
  const bytes = Buffer.from(flac)
  bytes.writeUInt8((bytes.readUInt8(21) & 0xf0) | Math.floor(samples / 2 ** 32), 21)
  bytes.writeUInt32BE(samples >>> 0, 22)
  return bytes
}
const joined = (bytes: Buffer) => Buffer.concat(Array.from({ length: 5 }, () => bytes))

async function trackOf(services: Services, bytes: Uint8Array, name: string) {
  const id = await uploadTrack(service, new Uint8Array(bytes), name)
  const job = await service.services.db.job.findFirstOrThrow({ where: { trackId: id } })
  await runTask(services, 'process_track', { jobId: job.id })
  return readTrack(service, id)
}

describe('a recording that is longer than its header says', () => {
  const limited = (): Services => {
    const { tools } = service.services
    return { ...service.services, tools: { ...tools, maxSeconds: SECONDS } }
  }

  test.each([
    { what: 'a FLAC of no length', name: 'a.flac', make: async () => announcing(await sine(20, 'flac'), 0) },
    { what: 'a FLAC of one second', name: 'a.flac', make: async () => announcing(await sine(20, 'flac'), 44_100) },
    { what: 'MP3 files in one', name: 'a.mp3', make: async () => joined(await sine(2, 'mp3')) },
    { what: 'chained Ogg streams', name: 'a.ogg', make: async () => joined(await sine(2, 'ogg')) },
    {
      what: 'a WebM of no length',
      name: 'a.webm',
      make: () => sine(20, 'webm', '-live', '1', '-c:a', 'libopus', '-ar', '48000'),
    },
  ])('is too long as soon as its sound is: $what', async ({ name, make }) => {
    const { track } = await trackOf(limited(), await make(), name)
    // ffprobe recognizes some of them, before any file is planned.
    expect(['init_error', 'error']).toContain(track.track_status_id)
    expect(track.status_code).toBe('too_long')
    expect(track.status_text).toContain('12 hours')
  })

  test('is ready up to the maximum length', async () => {
    const { track } = await trackOf(limited(), announcing(await sine(SECONDS, 'flac'), 0), 'a.flac')
    expect([track.track_status_id, track.duration]).toEqual(['ready', SECONDS])
  })
})

describe('the scratch space of a run', () => {
  test('is looked for before the recording is fetched, and the job is delayed without it', async () => {
    const { db, storage } = service.services
    const id = await uploadTrack(service, new Uint8Array(await sine(1, 'wav')))
    await db.track.update({ where: { id }, data: { sourceBytes: 2n ** 60n } })
    const job = await db.job.findFirstOrThrow({ where: { trackId: id } })
    const fetched: string[] = []
    const watched: Services['storage'] = Object.create(storage, {
      fetch: { value: (key: string) => fetched.push(key) },
    })
    await runTask({ ...service.services, storage: watched }, 'process_track', { jobId: job.id })
    const { track } = await readTrack(service, id)
    expect([fetched, track.track_status_id]).toEqual([[], 'processing'])
    expect(track).toMatchObject({
      status_code: 'processing_delayed',
      status_text: expect.stringContaining('disk space'),
    })
    await db.track.update({ where: { id }, data: { sourceBytes: 88_278n } })
    await runTask(service.services, 'process_track', { jobId: job.id })
    expect((await readTrack(service, id)).track.track_status_id).toBe('ready')
  })
})

describe('a recording that announces no length', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-test-'))
  const log = join(folder, 'log')
  let recording: Buffer
  beforeAll(async () => {
    recording = announcing(await sine(2, 'flac'), 0)
    appendFileSync(log, '')
  })

  /** Number of decodes of the recording for files, when only these variants exist. */
  async function decodesFor(indexes: readonly string[]): Promise<number> {
    const script = `case "$*" in *mono.s32*) echo >> ${log}; esac; exec "$@"`
    const sandbox = ['/bin/sh', '-c', script, 'sh']
    const { db, tools } = service.services
    const before = readFileSync(log).length
    const others = { type: { not: 'original' as const }, index: { notIn: [...indexes] }, deletedAt: null }
    const hidden = await db.variant.updateManyAndReturn({ where: others, data: { deletedAt: new Date() } })
    const services = { ...service.services, tools: { ...tools, sandbox, fileView: null, pictureView: null } }
    const { track } = await trackOf(services, recording, 'a.flac')
    expect([track.track_status_id, track.duration]).toEqual(['ready', 2])
    const ids = hidden.map(({ id }) => id)
    await db.variant.updateMany({ where: { id: { in: ids } }, data: { deletedAt: null } })
    return readFileSync(log).length - before
  }

  test('is decoded again only for a clip', async () => {
    try {
      expect(await decodesFor(['hq', 'waveform'])).toBe(1)
      expect(await decodesFor(['hq', 'waveform', 'preview'])).toBe(2)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
