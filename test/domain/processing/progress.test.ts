import { beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ffmpeg from '@ffmpeg-installer/ffmpeg'
import { makers } from '../../../src/domain/processing/make/makers.ts'
import { divideProgress, progressWriter } from '../../../src/domain/processing/run/progress.ts'
import { encodeAll } from '../../../src/platform/media/encode.ts'
import { probe } from '../../../src/platform/media/probe.ts'
import { makeMedia } from '../../support/audio.ts'
import { createTrack, setStatus, startReplica } from '../../support/live.ts'
import { type Json, uploadTrack, useTestService } from '../../support/service.ts'
import { subscribe } from '../../support/subscriber.ts'

const SECONDS = 90
const service = useTestService()
let recording: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  recording = await makeMedia(['-f', 'lavfi', '-i', `anoisesrc=d=${SECONDS}:r=44100:seed=1`, '-ac', '2'], 'wav')
}, 60_000)

test('reports several increasing percentages, and 100 only with the final state', async () => {
  const replica = startReplica(service)
  const id = await uploadTrack(service, recording)
  const client = subscribe(replica.url, { key: service.demo.api_key, variables: { trackId: id } })
  await client.change('the state of now', () => true)
  await service.runJobs()
  const last = await client.change('the end', ({ isFinal }) => isFinal)
  expect(last).toMatchObject({ status: 'READY', progressPercent: 100 })
  const percents: number[] = client.changes().map(({ progressPercent }: Json) => progressPercent)
  expect(percents).toEqual([...percents].sort((a, b) => a - b))
  expect(new Set(percents.filter((percent) => percent > 0 && percent < 100)).size).toBeGreaterThanOrEqual(2)
  expect(client.changes().filter((change: Json) => (change.progressPercent === 100) !== change.isFinal)).toEqual([])
  client.leave()
  await replica.stop()
}, 60_000)

test.each([
  ['the ffmpeg of here', undefined],
  ['the packaged ffmpeg of 2018', ffmpeg.path],
])('%s reports the decoded seconds', async (_, path) => {
  if (path) chmodSync(path, 0o755)
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-progress-'))
  try {
    const source = join(folder, 'source')
    await Bun.write(source, recording)
    const { tools: realTools } = service.services
    const tools = { ...realTools, ffmpeg: path ?? realTools.ffmpeg }
    const args = ['-c:a', 'aac', '-b:a', '192k', '-vn']
    const output = {
      fileName: 'a.m4a',
      filters: [],
      args,
      effort: 1,
      bytesPerSecond: 24_000,
      codec: 'aac',
      channels: 2,
      clip: null,
    }
    const told: number[] = []
    const recorded = { file: source, probe: await probe(realTools, source), folder }
    const { decoded } = await encodeAll(tools, recorded, [output], { onSeconds: (seconds) => told.push(seconds) })
    expect(decoded.durationSeconds).toBeCloseTo(SECONDS, 1)
    expect(told.length).toBeGreaterThanOrEqual(1)
    expect(told).toEqual([...told].sort((a, b) => a - b))
    expect(told.at(-1)).toBeGreaterThan(SECONDS - 1)
    expect(told.at(-1)).toBeLessThan(SECONDS + 1)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

describe('the progress of a track', () => {
  const progressOf = async (id: string) =>
    (await service.services.db.track.findUniqueOrThrow({ where: { id } })).progress
  async function running(status = 'processing', state: 'running' | 'done' = 'running') {
    const { db } = service.services
    const trackId = await createTrack(service)
    await setStatus(service, trackId, status)
    const job = { organizationId: service.demo.organization_id, kind: 'process_track', state, trackId } as const
    return { trackId, jobId: (await db.job.create({ data: job })).id }
  }
  /** Reports, and waits for the statements that follow from it. */
  async function report({ jobId, trackId }: { jobId: string; trackId: string }, shares: number[], writes: number) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { pool, log } = service.services
    const times: number[] = []
    const query = async (text: string, values: unknown[]) => {
      times.push(performance.now())
      const result = await pool.query(text, values)
      if (times.length === writes) resolve()
      return result
    }
    const progress = progressWriter({ pool: { query } as unknown as typeof pool, log }, jobId, trackId)
    for (const share of shares) progress.report(share)
    await promise
    progress.end()
    return { progress, times }
  }

  test('only increases, stays below 100, and is not written after the end', async () => {
    const run = await running()
    const { times, progress } = await report(run, [0.1, 0.5, 0.3], 1)
    expect(await progressOf(run.trackId)).toBe(50)
    progress.report(0.9)
    const twice = await running()
    const other = await report(twice, [2], 1)
    expect(await progressOf(twice.trackId)).toBe(99)
    expect([times.length, other.times.length]).toEqual([1, 1])
    await report(run, [0.2], 1)
    expect(await progressOf(run.trackId)).toBe(50)
  })

  test.each([
    ['ready', 'running'],
    ['processing', 'done'],
    ['initialized', 'running'],
  ] as const)('is not written for a track that is %s and a job that is %s', async (status, state) => {
    const run = await running(status, state)
    await report(run, [0.5], 1)
    expect(await progressOf(run.trackId)).toBe(0)
  })

  test('is written at most once a second', async () => {
    const run = await running()
    const { pool, log } = service.services
    const times: number[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const query = async (text: string, values: unknown[]) => {
      times.push(performance.now())
      await pool.query(text, values)
      if (times.length === 2) resolve()
      else progress.report(0.6)
    }
    const progress = progressWriter({ pool: { query } as unknown as typeof pool, log }, run.jobId, run.trackId)
    progress.report(0.2)
    await promise
    progress.end()
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950)
    expect(await progressOf(run.trackId)).toBe(60)
  })

  test('gives the decode the largest share, a film as much, and reaches 1', () => {
    const shares: number[] = []
    const progress = divideProgress((share) => shares.push(share))
    const weights = [makers.audio, makers.levels, makers.waveform_video].map(({ weight }) => weight)
    progress.begin(weights)
    for (const share of [0, 0.5, 1, 1.2]) progress.decoded(share)
    for (const weight of weights) progress.reportFile(weight)
    expect(shares).toEqual([...shares].sort((a, b) => a - b))
    expect(shares.at(-1)).toBe(1)
    expect(shares[2]).toBeGreaterThan(0.4)
  })
})
