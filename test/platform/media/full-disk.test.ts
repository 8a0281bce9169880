import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { availablePrefix } from '../../../src/platform/media/ffmpeg/command.ts'
import { LEVELS_RATE } from '../../../src/platform/media/levels.ts'
import { tone } from '../../support/audio.ts'

const PROGRAM = join(import.meta.dir, 'full-disk-program.ts')
const isolated = availablePrefix(['unshare', '--user', '--map-root-user', '--mount'])
const canMount = availablePrefix([...isolated, 'sh', '-c', 'mount -t tmpfs tmpfs /mnt && exec "$@"', 'sh']).length > 0

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Encodes a recording into a folder with a disk of its own. @returns what happened */
async function encodedOn(seconds: number, diskBytes: number): Promise<string> {
  const file = join(folder, `${seconds}.wav`)
  await Bun.write(file, await tone(seconds, 'wav', { channels: 1, rate: LEVELS_RATE }))
  const script = `mount -t tmpfs -o size=${diskBytes} tmpfs /mnt && exec "$@"`
  const command = [...isolated, 'sh', '-c', script, 'sh', process.execPath, PROGRAM, file, '/mnt']
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  return (await new Response(child.stdout).text()).trim()
}

const BUFFER_BYTES = 32_768
const monoBytes = (seconds: number) => seconds * LEVELS_RATE * 4

describe.skipIf(!canMount)('a disk that is full', () => {
  test.each([
    { what: 'before the only bytes of a short recording', seconds: 0.5, diskBytes: 4096 },
    { what: 'before the last bytes', seconds: 20, diskBytes: Math.floor(monoBytes(20) / BUFFER_BYTES) * BUFFER_BYTES },
    { what: 'in the middle', seconds: 20, diskBytes: 200_704 },
  ])(
    '$what, is a fault of the host',
    async ({ seconds, diskBytes }) => {
      expect(await encodedOn(seconds, diskBytes)).toBe('HostFault disk_full')
    },
    60_000,
  )

  test('is not reported when everything fits', async () => {
    expect(await encodedOn(20, monoBytes(20) + (1 << 18))).toBe('made')
  }, 60_000)
})
