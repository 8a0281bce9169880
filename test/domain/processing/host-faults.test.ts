import { beforeAll, describe, expect, test } from 'bun:test'
import type { Services } from '../../../src/platform/context.ts'
import { tone } from '../../support/audio.ts'
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
