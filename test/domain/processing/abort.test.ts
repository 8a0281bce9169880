import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { resolveProps } from '../../../src/domain/variant/service.ts'
import { StorageError } from '../../../src/platform/storage/storage.ts'
import { makeMedia } from '../../support/audio.ts'
import { runTask } from '../../support/jobs.ts'
import { readTrack } from '../../support/processed.ts'
import { startTestService, type TestService, uploadTrack } from '../../support/service.ts'
import { until } from '../../support/until.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

/** Programs that encode a film of this process. */
const filmPrograms = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      } catch {
        return ''
      }
    })
    .filter((command) => command.includes('libx264') && command.includes(`tonearm-${process.pid}-`))

test('the first error ends the programs of all other files before the attempt ends', async () => {
  const { db, storage } = service.services
  const props = resolveProps('waveform_video', { width: 1920, height: 1080, fps: 30 }) as object
  const { organization_id: organizationId } = service.demo
  await db.variant.create({ data: { organizationId, type: 'waveform_video', index: 'film', props } })
  const sound = await makeMedia(['-f', 'lavfi', '-i', 'anoisesrc=d=60:r=44100:seed=1'], 'flac')
  const id = await uploadTrack(service, sound)
  const job = await db.job.findFirstOrThrow({ where: { trackId: id } })
  let programs: string[] = []
  const copy = async () => {
    programs = await until('the programs of the film', 20_000, async () => {
      const filmProcesses = filmPrograms()
      return filmProcesses.length > 0 && filmProcesses
    })
    throw new StorageError('copy', null, new Error('no answer'))
  }
  await runTask({ ...service.services, storage: { ...storage, copy } }, 'process_track', { jobId: job.id })
  expect(programs).not.toEqual([])
  expect(filmPrograms()).toEqual([])
  const { track } = await readTrack(service, id)
  expect(track).toMatchObject({ track_status_id: 'processing', status_code: 'processing_delayed' })
  expect(track.status_text).toMatch(/storage is unavailable/)
}, 60_000)
