import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Services } from '../../../src/platform/context.ts'
import { enqueue, periodic, task } from '../../../src/platform/jobs/task.ts'
import { createMetrics } from '../../../src/platform/metrics.ts'
import { startWorker } from '../../../src/roles/worker/run.ts'
import { tone } from '../../support/audio.ts'
import { exhaust, failingFromPut, runTask } from '../../support/jobs.ts'
import { deleteEntries } from '../../support/queue.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const service = useTestService()
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  sound = await tone(1)
}, 60_000)

interface Line {
  level: string
  fields: Record<string, unknown>
  message: string
}
let lines: Line[]
let services: Services
beforeEach(async () => {
  // Jobs are run by hand here.
  await deleteEntries(service.services.pool)
  lines = []
  const at = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, fields, message })
  const log = Object.fromEntries(['debug', 'info', 'warn', 'error'].map((level) => [level, at(level)]))
  services = { ...service.services, metrics: createMetrics(), log: log as unknown as Services['log'] }
})

const jobOf = (trackId: string) =>
  service.services.db.job.findFirstOrThrow({ where: { trackId }, orderBy: { id: 'desc' } })
const ended = async () =>
  (await services.metrics.tracks.get()).values
    .filter(({ value }) => value > 0)
    .map(({ labels, value }) => [labels.status, value] as const)
const linesOf = (message: string) => lines.filter((line) => line.message === message)
const ENDED = 'a track ended without a playable file'

async function upload(bytes = sound) {
  const id = await uploadTrack(service, bytes)
  return { id, job: { jobId: (await jobOf(id)).id } }
}

describe('the outcome of an attempt, its metric and its log line', () => {
  test('done: a ready track writes no line', async () => {
    const { job } = await upload()
    expect(await runTask(services, 'process_track', job)).toBe('done')
    expect(await ended()).toEqual([['ready', 1]])
    expect(linesOf(ENDED)).toEqual([])
  })

  test('superseded: the job has ended already', async () => {
    const { job } = await upload()
    await runTask(services, 'process_track', job)
    expect(await runTask(services, 'process_track', job)).toBe('superseded')
    expect(await ended()).toEqual([['ready', 1]])
  })

  test('failed: the line of a recording that cannot be decoded names the track and the reason', async () => {
    const { id, job } = await upload(new Uint8Array(2000).fill(65))
    expect(await runTask(services, 'process_track', job)).toBe('failed')
    const { status, statusCode, statusText } = await service.services.db.track.findUniqueOrThrow({ where: { id } })
    expect(await ended()).toEqual([[status, 1]])
    expect(status).toBe('init_error')
    const fields = { trackId: id, status, code: statusCode, reason: statusText }
    expect(linesOf(ENDED)).toEqual([{ level: 'warn', message: ENDED, fields }])
    expect(statusCode).toBeString()
  })

  test('delayed: a fault of the service ends no track', async () => {
    const { id, job } = await upload()
    expect(await runTask(failingFromPut(1, services), 'process_track', job)).toBe('delayed')
    expect(await ended()).toEqual([])
    const [line] = linesOf('an attempt failed and is repeated')
    expect(line).toMatchObject({ level: 'error', fields: { trackId: id, ...job } })
  })

  test('given_up: the lines name the job, the track and the reason', async () => {
    const { id, job } = await upload()
    await exhaust(services, job.jobId)
    expect(await runTask(failingFromPut(1, services), 'process_track', job)).toBe('given_up')
    expect(await ended()).toEqual([['error', 1]])
    const [line] = linesOf('a job is given up')
    expect(line).toMatchObject({ level: 'error', fields: { ...job, trackId: id, kind: 'process_track' } })
    expect(linesOf(ENDED)).toMatchObject([{ fields: { trackId: id, status: 'error', code: 'processing_failed' } }])
  })

  test('cancelled: the track of one more file was deleted', async () => {
    const { id, job } = await upload()
    await runTask(services, 'process_track', job)
    const body = { variant_type_id: 'transcode', index: 'more', codec: 'mp3' }
    await service.v1('POST', `/track/${id}/variant`, { body })
    await service.v1('DELETE', `/track/${id}`)
    expect(await runTask(services, 'process_variant', { jobId: (await jobOf(id)).id })).toBe('cancelled')
  })
})

test('a worker counts attempts by their outcome, and those that throw as error', async () => {
  const returning = task(periodic('test_failed'), async () => 'failed' as const)
  const throwing = task(periodic('test_error'), (): Promise<void> => Promise.reject(new Error('broken')))
  const worker = await startWorker(services, [returning, throwing])
  const series = async () => (await services.metrics.jobs.get()).values
  const counts = async () =>
    (await series())
      .filter(({ value }) => value > 0)
      .map(({ labels, value }) => `${labels.task} ${labels.outcome} ${value}`)
      .sort()
  // A rate does not see the jump of a series that is new.
  expect((await series()).map(({ labels }) => `${labels.task} ${labels.outcome}`)).toContain('test_error error')
  try {
    for (const { definition } of [returning, throwing]) {
      await enqueue(services.db, definition, {}, { jobKey: definition.name })
    }
    await until('both attempts', 20_000, async () => (await counts()).length === 2)
    expect(await counts()).toEqual(['test_error error 1', 'test_failed failed 1'])
  } finally {
    await worker.stop(1000)
  }
})
