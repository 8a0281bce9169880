// Messages of ffmpeg differ between its versions. These are the real ones of each, where other tests have their texts.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatherEvidence } from '../../../src/platform/media/ffmpeg/evidence.ts'
import { checkHost } from '../../../src/platform/media/ffmpeg/host-fault.ts'
import { findReason, type MediaReason } from '../../../src/platform/media/ffmpeg/reasons.ts'
import { makeMedia } from '../../support/audio.ts'
import { hostiles } from '../../support/hostile.ts'
import { outcomeOf } from '../../support/outcome.ts'
import { PACKAGED_FFPROBE } from '../../support/tools.ts'
import { describeVersions } from '../../support/versions.ts'

let folder: string
let [sound, film] = ['', '']
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-versions-'))
  sound = join(folder, 'sound.m4a')
  film = join(folder, 'film.mp4')
  await Bun.write(sound, await makeMedia(['-f', 'lavfi', '-i', 'sine=d=1'], 'm4a'))
  await Bun.write(film, await makeMedia(['-f', 'lavfi', '-i', 'testsrc2=d=1:s=64x64'], 'mp4'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Uploads that messages alone explain, with the one reason that each version reports. */
const explained: readonly [name: string, reason: MediaReason][] = [
  ['streams.mka', 'too_many_streams'],
  ['drm.m4p', 'encrypted'],
  ['cenc.mp4', 'encrypted'],
  ['drm.wma', 'encrypted'],
  ['book.aax', 'encrypted'],
  ['book.aa', 'encrypted'],
  ['codec.wav', 'unsupported_codec'],
  ['sound.mka', 'unsupported_codec'],
  ['header.wav', 'truncated'],
  ['random.mp3', 'not_audio'],
]

/** Failures of ffmpeg itself, by what it is asked for. */
const failures: readonly { what: string; args: () => string[]; reason: MediaReason }[] = [
  { what: 'memory beyond the bound', args: () => ['-max_alloc', '100', '-i', sound], reason: 'out_of_memory' },
  { what: 'a film whose sound is asked for', args: () => ['-i', film, '-map', '0:a'], reason: 'no_sound' },
  { what: 'a film without its pictures', args: () => ['-i', film, '-vn'], reason: 'no_sound' },
]

const endless = ['-f', 'lavfi', '-i', 'sine=d=20']
/** A disk that is always full (null(4)). */
const FULL = '/dev/full'

describeVersions('ffmpeg', (tools) => {
  /** Runs ffmpeg without the sandbox. @returns how it ended, as `spawnTool` reports it */
  async function run(args: readonly string[]) {
    const { exitCode, stderr } = Bun.spawnSync([tools.ffmpeg, '-nostdin', '-v', 'error', ...args], {
      stdout: 'ignore',
      stderr: 'pipe',
      env: {},
    })
    const messages = stderr.toString()
    const evidence = gatherEvidence(args)
    evidence.read(messages)
    const hostFault = await evidence.end(messages, exitCode)
    return { exitCode, signal: null, stderr: messages, timedOut: false, cpuMs: 0, hasStarted: true, hostFault }
  }

  test.each(explained)('explains %s: %s', async (name, reason) => {
    const upload = hostiles.find((hostile) => hostile.name === name)
    if (!upload) throw new Error(`${name} is not in the list`)
    expect(await outcomeOf(tools, new Uint8Array(await upload.make()))).toBe(reason)
  })

  test('explains a film without sound', async () => {
    const silent = await makeMedia(['-f', 'lavfi', '-i', 'testsrc2=d=1:s=64x64', '-c:v', 'mpeg2video'], 'ts')
    // The ffprobe of the npm package crashes for this file.
    const reason = tools.ffprobe === PACKAGED_FFPROBE ? 'decoder_failed' : 'no_sound'
    expect(await outcomeOf(tools, silent)).toBe(reason)
  })

  test('explains a file without its index: truncated', async () => {
    const bytes = await Bun.file(sound).bytes()
    expect(await outcomeOf(tools, bytes.subarray(0, bytes.length / 2))).toBe('truncated')
  })

  test.each(failures)('explains $what: $reason', async ({ args, reason }) => {
    const ended = await run([...args(), '-f', 'null', '-'])
    expect(ended).toMatchObject({ exitCode: expect.any(Number), hostFault: null })
    expect(ended.exitCode).not.toBe(0)
    expect(() => checkHost([ended], 60)).not.toThrow()
    expect(findReason(ended, 60, 'encoder_failed')).toBe(reason)
  })

  // The header, the sound or the end of a file is what cannot be written, by its format.
  describe.skipIf(!existsSync(FULL))('blames the host for a full disk', () => {
    test.each(['s16le', 'wav', 'mp3', 'ipod', 'flac', 'ogg', 'adts', 'caf'])('of a %s', async (format) => {
      const ended = await run([...endless, '-f', format, '-y', `file:${FULL}`])
      expect(() => checkHost([ended], 60)).toThrow('disk_full')
    })
  })

  test('blames the host for a file that it cannot open', async () => {
    const ended = await run(['-i', `file:${join(folder, 'absent')}`, '-f', 'null', '-'])
    expect(() => checkHost([ended], 60)).toThrow('file_not_visible')
  })

  test('blames the host for a wrapper without a program', async () => {
    const { exitCode } = Bun.spawnSync(['env', `${tools.ffmpeg}-absent`], { stderr: 'ignore' })
    const ended = { ...(await run(['-version'])), exitCode }
    expect(() => checkHost([ended], 60)).toThrow('not_started')
  })
})
