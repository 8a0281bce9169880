import { expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measure, tone } from './support/audio.ts'
import { MEMORY } from './support/scratch.ts'
import { uploadTrack, useTestService } from './support/service.ts'

const service = useTestService()

/** A folder on another file system than the service's data: tmpfs on /tmp is the default of several distributions. */
const OTHER_FILE_SYSTEM = tmpdir().startsWith(MEMORY) ? '/var/tmp' : MEMORY

async function expectToPlay(): Promise<void> {
  const trackId = await uploadTrack(service, await tone(3))
  await service.runJobs()
  const { json } = await service.v1('GET', `/track/${trackId}`)
  expect(json.track.track_status_id).toBe('ready')
  const link = await service.v1('GET', `/stream/${trackId}/${service.demo.share_key}`, { key: null })
  expect(link.status).toBe(302)
  const sound = await service.fetchEdge(link.headers.get('location') ?? '')
  expect(sound.status).toBe(200)
  expect((await measure(await sound.arrayBuffer())).codec).toBe('aac')
}

test('a recording becomes ready, and its stream link plays', expectToPlay)

// Only Linux has the folder, and the sandbox that a link out of scratch breaks.
test.if(process.platform === 'linux')('also when scratch and storage are on different file systems', async () => {
  const scratch = await mkdtemp(join(OTHER_FILE_SYSTEM, 'tonearm-scratch-'))
  const { TMPDIR } = process.env
  process.env.TMPDIR = scratch
  try {
    expect((await stat(scratch)).dev).not.toBe((await stat(service.dataDir)).dev)
    expect(tmpdir()).toBe(scratch)
    await expectToPlay()
    expect(await readdir(scratch)).toEqual([])
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
    await rm(scratch, { recursive: true })
  }
})
