import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reasons } from '../../../src/platform/media/ffmpeg/reasons.ts'
import { hostiles } from '../../support/hostile.ts'
import { readTrack } from '../../support/processed.ts'
import { type Json, startTestService, type TestService, uploadTrack } from '../../support/service.ts'
import { sandboxedTools } from '../../support/tools.ts'

let service: TestService
const uploads = new Map<string, { id: string; ms: number }>()
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'tonearm-scratch-'))
  process.env.TMPDIR = scratch
  service = await startTestService({}, sandboxedTools)
  for (const { name, make } of hostiles) {
    const id = await uploadTrack(service, new Uint8Array(await make()), name)
    const start = performance.now()
    await service.runJobs()
    uploads.set(name, { id, ms: performance.now() - start })
  }
}, 240_000)
afterAll(async () => {
  await service.stop()
  delete process.env.TMPDIR
  await rm(scratch, { recursive: true })
})

/** Also allowed: the status of a track whose files all failed. */
const knownReasons: Json = { ...reasons, no_playable_file: 'No file that plays' }
const isFinal = ['ready', 'incomplete', 'error', 'init_error']
/** Thirty times what the slowest takes alone: the machine may be doing other things. */
const MAX_MS = 60_000

describe('a hostile upload fails with a reason from the table', () => {
  test.each(hostiles)('$name', async ({ name, reasons: possible }) => {
    const { id, ms } = uploads.get(name) ?? { id: '', ms: 0 }
    const { track } = await readTrack(service, id)
    const { track_status_id: status, status_code: code, status_text: text } = track
    expect(isFinal).toContain(status)
    expect(possible).toContain(status === 'ready' ? 'ready' : code)
    const failed = await service.services.db.trackFile.findMany({ where: { trackId: id, state: 'failed' } })
    const fileReasons = failed.map(({ statusCode, statusText }) => ({ code: statusCode, text: statusText }))
    for (const reason of [...fileReasons, ...(status === 'ready' ? [] : [{ code, text }])]) {
      expect(knownReasons).toHaveProperty(reason.code)
      expect(reason.text).toStartWith(knownReasons[reason.code].slice(0, 12))
      expect(reason.text).not.toMatch(/ffmpeg|ffprobe|\/tmp|0x[0-9a-f]{4}|Invalid data/)
    }
    expect(ms).toBeLessThan(MAX_MS)
  })
})

test('an undecodable codec is named', async () => {
  const { track } = await readTrack(service, uploads.get('sound.mka')?.id ?? '')
  expect(track.status_text).toEndWith('Its codec is g723_1.')
})

test('the number of tags is limited', async () => {
  const { track } = await readTrack(service, uploads.get('tags.flac')?.id ?? '')
  expect(Object.keys(track.info.tags).length).toBeLessThanOrEqual(64)
})

test('the worker survives, and leaves no folders', async () => {
  expect(await service.services.db.job.count({ where: { state: { in: ['queued', 'running'] } } })).toBe(0)
  const remainingFolders = (await readdir(scratch)).filter((name) => /^tonearm-\d/.test(name))
  expect(remainingFolders).toEqual([])
})
