import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { probe } from '../../../src/platform/media/probe.ts'
import { makeMedia } from '../../support/audio.ts'
import { noise } from '../../support/hostile.ts'
import { sandboxedTools } from '../../support/tools.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-form-'))
})
afterAll(() => rm(folder, { recursive: true }))

const sine = ['-f', 'lavfi', '-i', 'sine=duration=1']
const film = [...sine, '-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=5:duration=1']
const encodeFilm = (extension: string, args: readonly string[]) => async () =>
  Buffer.from(await makeMedia([...film, ...args], extension))
const withHead = (head: string) => async () => Buffer.concat([Buffer.from(head, 'latin1'), noise(20_000, head)])
const gsm = async () => {
  const bytes = Buffer.from(noise(33 * 50, 'gsm'))
  for (let at = 0; at < bytes.length; at += 33) bytes.writeUInt8(0xd0 | (bytes.readUInt8(at) & 0xf), at)
  return bytes
}

test.each([
  { name: 'AVI', make: encodeFilm('avi', ['-c:a', 'libmp3lame']) },
  { name: 'FLV', make: encodeFilm('flv', ['-c:a', 'libmp3lame', '-ar', '44100']) },
  { name: 'an MPEG program stream', make: encodeFilm('mpg', ['-c:a', 'mp2', '-r', '25']) },
  { name: 'DSDIFF', make: withHead('FRM8\0\0\0\0\0\0\x10\0DSD FVER') },
  { name: 'OptimFROG', make: withHead('OFR \x0f\0\0\0') },
  { name: 'NIST SPHERE', make: withHead('NIST_1A\n   1024\n') },
  { name: 'GSM', make: gsm },
])('$name is refused as an unsupported encoding, not as something else', async ({ name, make }) => {
  const file = join(folder, 'recording')
  await Bun.write(file, new Uint8Array(await make()))
  await expect(probe(sandboxedTools, file)).rejects.toMatchObject({
    code: 'unsupported_codec',
    message: expect.stringContaining(`It is ${name}.`),
  })
})

test.each([
  { name: 'noise', make: async () => noise(20_000, 'noise') },
  { name: 'text', make: async () => Buffer.from('Dear listeners, '.repeat(500)) },
])('$name is not audio', async ({ make }) => {
  const file = join(folder, 'recording')
  await Bun.write(file, new Uint8Array(await make()))
  await expect(probe(sandboxedTools, file)).rejects.toMatchObject({ code: 'not_audio' })
})
