import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findTools } from '../../src/platform/media/ffmpeg/tools.ts'
import { tone } from '../support/audio.ts'
import { processed, readTrack } from '../support/processed.ts'
import { makeEntriesDue } from '../support/queue.ts'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService
let folder: string
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-broken-'))
  service = await startTestService()
  sound = await tone(0.5)
}, 60_000)
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

/** Puts a script in the place of a program; it answers what it is asked at start. */
async function replace(name: 'ffmpeg' | 'ffprobe', text: string): Promise<void> {
  const path = join(folder, `${crypto.randomUUID()}.sh`)
  await writeFile(path, `#!/bin/sh\n[ "$1" = -version ] && echo "${name} version 0-broken" && exit 0\n${text}\n`)
  await chmod(path, 0o755)
  Object.assign(service.services.tools, await findTools({ [name]: path }))
}

test('a probe that crashes is a reason on the track, and the worker goes on', async () => {
  await replace('ffprobe', 'kill -SEGV $$')
  const { track } = await processed(service, sound, 'a.wav')
  expect([track.track_status_id, track.status_code]).toEqual(['init_error', 'decoder_failed'])
  Object.assign(service.services.tools, await findTools({}))
  expect((await processed(service, sound, 'b.wav')).track.track_status_id).toBe('ready')
}, 120_000)

test.each([
  { program: 'ffprobe', what: 'is killed by the host', text: 'kill -KILL $$' },
  { program: 'ffprobe', what: 'reports nothing', text: 'exit 0' },
  { program: 'ffprobe', what: 'reports half', text: 'echo "{\\"streams\\": 1"' },
  { program: 'ffprobe', what: 'reports something else', text: 'echo "{\\"streams\\": []}"' },
  { program: 'ffmpeg', what: 'is killed by the host', text: 'kill -KILL $$' },
  { program: 'ffmpeg', what: 'finds the disk full', text: 'echo "No space left on device" >&2; exit 1' },
] as const)(
  '$program that $what delays the track, and it is ready when that is over',
  async ({ program, text }) => {
    await replace(program, text)
    const { id, track } = await processed(service, sound, 'a.wav')
    expect(track).toMatchObject({ track_status_id: 'processing', status_code: 'processing_delayed' })
    Object.assign(service.services.tools, await findTools({}))
    await makeEntriesDue(service.services.pool)
    await service.runJobs()
    const ready = await readTrack(service, id)
    expect(ready.track).toMatchObject({ track_status_id: 'ready', status_code: null })
    expect(Object.values(ready.files).map(({ is_success }) => is_success)).toEqual([true, true, true, true, true])
  },
  120_000,
)

test('a decoder that crashes is a reason on every file, and the worker goes on', async () => {
  await replace('ffmpeg', 'kill -SEGV $$')
  expect(service.services.tools.version).toBe('0-broken')
  const { track, id } = await processed(service, sound, 'a.wav')
  expect(track.track_status_id).toBe('error')
  expect(track.status_text).toEqual(expect.any(String))
  const files = await service.services.db.trackFile.findMany({ where: { trackId: id, state: 'failed' } })
  expect(files.length).toBeGreaterThan(0)
  for (const { statusCode } of files) expect(['decoder_failed', 'encoder_failed']).toContain(statusCode ?? '')
  Object.assign(service.services.tools, await findTools({}))
  expect((await processed(service, sound, 'b.wav')).track.track_status_id).toBe('ready')
}, 120_000)
