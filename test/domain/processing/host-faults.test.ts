import { beforeAll, describe, expect, test } from 'bun:test'
import type { Services } from '../../../src/platform/context.ts'
import { StorageError } from '../../../src/platform/storage/storage.ts'
import { makeMedia, tone } from '../../support/audio.ts'
import { runTask } from '../../support/jobs.ts'
import { readTrack } from '../../support/processed.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'

const service = useTestService()
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  sound = await tone(1)
})

const jobOf = (trackId: string) =>
  service.services.db.job.findFirstOrThrow({ where: { trackId }, orderBy: { id: 'desc' } })

/** Services whose media programs are started by a shell script, in the place of the sandbox. */
const sandboxed = (script: string): Services => {
  const sandbox = ['/bin/sh', '-c', script, 'sh']
  return { ...service.services, tools: { ...service.services.tools, sandbox, fileView: null, pictureView: null } }
}

/** Makes one attempt to process a new track. */
async function attemptWith(services: Services) {
  const id = await uploadTrack(service, sound)
  await runTask(services, 'process_track', { jobId: (await jobOf(id)).id })
  const { track } = await readTrack(service, id)
  return { id, status: track.track_status_id, code: track.status_code, text: track.status_text }
}

/** Runs the delayed job without the fault. */
async function runAgain(id: string) {
  await runTask(service.services, 'process_track', { jobId: (await jobOf(id)).id })
  return (await readTrack(service, id)).track.track_status_id
}

describe('a recording is not blamed', () => {
  test.each([
    {
      what: 'a sandbox that cannot be set up',
      script: 'echo "unshare: unshare failed: Operation not permitted" >&2; exit 1',
    },
    { what: 'a program that cannot be started', script: 'exit 126' },
    { what: 'a kill from outside', script: 'kill -KILL $$' },
  ])('for $what', async ({ script }) => {
    const { id, ...seen } = await attemptWith(sandboxed(script))
    expect(seen).toMatchObject({ status: 'processing', code: 'processing_delayed' })
    expect(await runAgain(id)).toBe('ready')
  })

  test('for a storage that returns other bytes than were uploaded', async () => {
    const id = await uploadTrack(service, sound)
    const track = { where: { id } }
    const { sourceSha256 } = await service.services.db.track.update({
      ...track,
      data: { sourceSha256: 'b'.repeat(64) },
    })
    expect(sourceSha256).toBe('b'.repeat(64))
    await runTask(service.services, 'process_track', { jobId: (await jobOf(id)).id })
    const { track: delayed } = await readTrack(service, id)
    expect(delayed).toMatchObject({ track_status_id: 'processing', status_code: 'processing_delayed' })
    const right = new Bun.CryptoHasher('sha256').update(sound).digest('hex')
    await service.services.db.track.update({ ...track, data: { sourceSha256: right } })
    expect(await runAgain(id)).toBe('ready')
  })

  test('for a disk that cannot read it', async () => {
    // The decoder loses its input. ffprobe, before it, reads everything.
    const loseInput = `for a; do case $a in file:*/inputs/*) rm "\${a#file:}"; esac; done; exit 1`
    const { id, ...seen } = await attemptWith(sandboxed(`case "$*" in *pipe:1*) ${loseInput}; esac; exec "$@"`))
    expect(seen).toMatchObject({ status: 'processing', code: 'processing_delayed' })
    expect(await runAgain(id)).toBe('ready')
  })
})

test('a recording that crashes its programs ends', async () => {
  const { status, code } = await attemptWith(sandboxed('kill -SEGV $$'))
  expect([status, code]).toEqual(['init_error', 'decoder_failed'])
})

describe('a cover is not blamed', () => {
  /** The picture decoder runs out of the host's memory; ffmpeg does not. */
  const script = 'case "$*" in *cover/program.ts*) kill -KILL $$; esac; exec "$@"'
  let picture: Uint8Array<ArrayBuffer>
  beforeAll(async () => {
    picture = await makeMedia(['-f', 'lavfi', '-i', 'color=c=red:s=80x80', '-frames:v', '1'], 'png')
  })

  async function trackWithCover() {
    const body = { collection_id: service.demo.collection_id, file_name: 'a.wav' }
    const { track_id, track_upload, track_cover_upload } = (await service.v1('POST', '/track', { body })).json
    for (const [{ upload_url, method }, bytes] of [
      [track_cover_upload, picture],
      [track_upload, sound],
    ] as const) {
      expect((await service.fetchEdge(upload_url, { method, body: bytes })).status).toBe(200)
    }
    const jobs = await service.services.db.job.findMany({ where: { trackId: track_id } })
    const jobId = (kind: string) => jobs.find((job) => job.kind === kind)?.id
    return { id: track_id as string, recordingJob: jobId('process_track'), coverJob: jobId('process_track_cover') }
  }
  const stateOf = async (id?: string) => (await service.services.db.job.findUniqueOrThrow({ where: { id } })).state

  test('in the run of its track, which is repeated with it', async () => {
    const { id, recordingJob: jobId } = await trackWithCover()
    await runTask(sandboxed(script), 'process_track', { jobId })
    const { track } = await readTrack(service, id)
    expect([track.track_status_id, track.status_code]).toEqual(['processing', 'processing_delayed'])
    await runTask(service.services, 'process_track', { jobId })
    const { track: after, files } = await readTrack(service, id)
    expect([after.track_status_id, files.cover?.is_success]).toEqual(['ready', true])
  })

  test('in its own job, which is repeated', async () => {
    const { coverJob: jobId } = await trackWithCover()
    await runTask(sandboxed(script), 'process_cover', { jobId })
    expect(await stateOf(jobId)).toBe('running')
    await runTask(service.services, 'process_cover', { jobId })
    expect(await stateOf(jobId)).toBe('done')
  })

  test('which ends when the picture crashes its decoder', async () => {
    const { coverJob: jobId } = await trackWithCover()
    await runTask(sandboxed(script.replace('-KILL', '-SEGV')), 'process_cover', { jobId })
    expect(await stateOf(jobId)).toBe('failed')
  })

  test('waits for all sizes after storing one has failed, with the signal of the job', async () => {
    const { coverJob: jobId } = await trackWithCover()
    const { signal } = new AbortController()
    let [begun, ended] = [0, 0]
    const put = async (...args: Parameters<Services['storage']['put']>) => {
      expect(args[3]).toBe(signal)
      begun += 1
      if (begun === 1) throw new StorageError('put', null, new Error('no answer'))
      // Takes longer than the failure.
      await new Promise((resolve) => setImmediate(resolve))
      await service.services.storage.put(...args)
      ended += 1
    }
    const storage = { ...service.services.storage, put }
    await runTask({ ...service.services, storage }, 'process_cover', { jobId }, { signal })
    expect([begun, ended]).toEqual([8, 7])
    expect(await stateOf(jobId)).toBe('running')
  })
})
