import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { probe } from '../../../src/platform/media/probe.ts'
import { encodeProgressVideo } from '../../../src/platform/media/video.ts'
import { makeMedia } from '../../support/audio.ts'
import { streamsOf } from '../../support/image.ts'
import { sandboxedTools } from '../../support/tools.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('the program that writes a film does not read the recording', async () => {
  const file = join(folder, 'recording')
  await Bun.write(file, await makeMedia(['-f', 'lavfi', '-i', 'sine=d=2:r=44100', '-ac', '2'], 'flac'))
  const script = `case "$*" in *libx264*) case "$*" in *${file}*) exit 9; esac; esac; exec "$@"`
  const tools = { ...sandboxedTools, sandbox: ['/bin/sh', '-c', script, 'sh'], fileView: null }
  const picture = new Uint8Array(64 * 32 * 4).fill(255)
  const film = await encodeProgressVideo(
    tools,
    { file, probe: await probe(sandboxedTools, file), folder },
    {
      fileName: 'film.mp4',
      width: 64,
      height: 32,
      fps: 5,
      startX: 0,
      endX: 64,
      channels: 2,
      played: picture,
      unplayed: picture,
      audio: { filters: [], args: ['-c:a', 'aac', '-b:a', '96k'] },
    },
    2,
  )
  const streams = await streamsOf(await Bun.file(film).arrayBuffer())
  expect(streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac'])
  for (const { duration } of streams) expect(Number(duration)).toBeWithin(1.8, 2.1)
})
