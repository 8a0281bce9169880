import { beforeAll, describe, expect, test } from 'bun:test'
import type { Prisma } from '../../../src/platform/db/generated/client/client.ts'
import { createForeign, makeKey, UNKNOWN_ID, unique } from '../../spec/support.ts'
import { codeOf, data, hire, signIn } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { eventsOf, measureFile, processed, readTrack } from '../../support/processed.ts'
import { rebuildAs } from '../../support/rebuild.ts'
import { type Json, uploadTrack, useTestService } from '../../support/service.ts'
import { variantId, variantsAs } from '../../support/variants.ts'

const service = useTestService()
let owner: string
let sound: Uint8Array<ArrayBuffer>
let variants: ReturnType<typeof variantsAs>
let rebuild: ReturnType<typeof rebuildAs>['rebuild']
let tryRebuild: ReturnType<typeof rebuildAs>['tryRebuild']
beforeAll(async () => {
  owner = (await signIn(service)).token
  variants = variantsAs(service, owner)
  ;({ rebuild, tryRebuild } = rebuildAs(service))
  // Fewer files, faster tests: the levels play nothing, the transcode does.
  const index = { notIn: ['hq', 'waveform'] }
  await service.services.db.variant.updateMany({ where: { index }, data: { deletedAt: new Date() } })
  sound = await tone(1)
}, 60_000)

const madeAt = async (id: string): Promise<Record<string, Date | null>> => {
  const where = { trackId: id, variant: { deletedAt: null } }
  const files = await service.services.db.trackFile.findMany({ where, include: { variant: true } })
  return Object.fromEntries(files.map(({ variant, completedAt }) => [variant.index, completedAt]))
}
const jobOf = (id: string) => service.services.db.job.findUniqueOrThrow({ where: { id } })
/** Gives a variant parameters past every rule, and takes them back. */
async function withProps<T>(index: string, change: object, use: () => Promise<T>): Promise<T> {
  const { db } = service.services
  const where = { id: await variantId(service, index) }
  const { props } = await db.variant.findUniqueOrThrow({ where })
  await db.variant.update({ where, data: { props: { ...(props as object), ...change } } })
  try {
    return await use()
  } finally {
    await db.variant.update({ where, data: { props: props as Prisma.InputJsonObject } })
  }
}

describe('a rebuild', () => {
  test('makes all files in one run while the old ones are delivered', async () => {
    const { id, files: before } = await processed(service, sound, 'a.wav')
    const first = await madeAt(id)
    const payload = await rebuild(id)
    expect(payload.job).toMatchObject({ id: payload.jobId, kind: 'REBUILD_TRACK', state: 'QUEUED', track: { id } })
    expect(payload.job.variantIds.sort()).toEqual(
      [await variantId(service, 'hq'), await variantId(service, 'waveform')].sort(),
    )
    expect(payload.track).toEqual({ id, status: 'PROCESSING' })
    expect((await service.fetchEdge(before.hq.url)).status).toBe(200)
    service.clock.now = new Date(Date.now() + 60_000)
    await service.runJobs()
    service.clock.now = null
    expect(await jobOf(payload.jobId)).toMatchObject({ state: 'done', attempts: 1, error: null })
    const { track, files } = await readTrack(service, id)
    expect([track.track_status_id, track.duration]).toEqual(['ready', 1])
    const second = await madeAt(id)
    for (const index of ['hq', 'waveform']) expect(Number(second[index])).toBeGreaterThan(Number(first[index]))
    expect(files.hq).toMatchObject({ path: before.hq.path, size: before.hq.size })
    const types = (await eventsOf(service, id)).map(({ type }) => type)
    expect(types.filter((type) => type === 'track_file.created')).toHaveLength(4)
    expect((await eventsOf(service, id)).at(-1)?.data).toMatchObject({ status: 'ready', previous_status: 'processing' })
  }, 30_000)

  test('uses the current parameters, and includes missing variants and those of the track', async () => {
    const { id } = await processed(service, sound, 'a.wav')
    const body = { variant_type_id: 'transcode', index: unique('own'), codec: 'mp3' }
    await service.v1('POST', `/track/${id}/variant`, { body })
    await service.runJobs()
    const { variant: late } = await variants.create({
      variantTypeId: 'TRANSCODE',
      index: unique('late'),
      codec: 'opus',
    })
    const before = await madeAt(id)
    service.clock.now = new Date(Date.now() + 60_000)
    await withProps('hq', { is_stereo: false }, async () => {
      await rebuild(id)
      await service.runJobs()
    })
    service.clock.now = null
    const { files } = await readTrack(service, id)
    expect((await measureFile(service, files.hq)).channels).toBe(1)
    expect((await measureFile(service, files[late.index])).codec).toBe('opus')
    expect(Number((await madeAt(id))[body.index])).toBeGreaterThan(Number(before[body.index]))
    await variants.remove(late.id)
  }, 30_000)

  test('makes only the files of given variants, over /v1', async () => {
    const { id } = await processed(service, sound, 'a.wav')
    const before = await madeAt(id)
    const body = { variant_ids: [await variantId(service, 'waveform')] }
    const { json } = await service.v1('POST', `/track/${id}/rebuild`, { body })
    expect(json).toMatchObject({ ok: true, track_id: id, track: { id, track_status_id: 'processing' } })
    service.clock.now = new Date(Date.now() + 60_000)
    await service.runJobs()
    service.clock.now = null
    expect((await jobOf(json.job_id)).variantIds).toEqual(body.variant_ids)
    const after = await madeAt(id)
    expect(after.hq).toEqual(before.hq as Date)
    expect(Number(after.waveform)).toBeGreaterThan(Number(before.waveform))
  }, 30_000)

  test('makes a failed file, and the track becomes ready', async () => {
    const { id, track } = await withProps('hq', { codec: 'opus', bitrate: -5 }, () =>
      processed(service, sound, 'a.wav'),
    )
    expect(track).toMatchObject({ track_status_id: 'error', status_code: 'no_playable_file' })
    await rebuild(id)
    await service.runJobs()
    const { track: now, files } = await readTrack(service, id)
    expect(now).toMatchObject({ track_status_id: 'ready', status_code: null, status_text: null })
    expect(files.hq).toMatchObject({ is_success: true, status_text: null })
  }, 30_000)

  test('ends at once when only stale files are requested and none is stale', async () => {
    const { id } = await processed(service, sound, 'a.wav')
    const none = await rebuild(id, { isOnlyStale: true })
    expect(none.job).toMatchObject({ state: 'DONE', variantIds: [] })
    expect(none.track.status).toBe('READY')
    const waveform = await variantId(service, 'waveform')
    await withProps('waveform', { num_samples: 16 }, async () => {
      const other = await rebuild(id, { isOnlyStale: true, variantIds: [await variantId(service, 'hq')] })
      expect(other.job.state).toBe('DONE')
      expect((await rebuild(id, { isOnlyStale: true })).job.variantIds).toEqual([waveform])
      await service.runJobs()
    })
    expect((await readTrack(service, id)).files.waveform.data.levels).toHaveLength(16)
  }, 30_000)
})

describe('a rebuild is rejected', () => {
  test('while the track is processing; one of many concurrent requests succeeds', async () => {
    const uploaded = await uploadTrack(service, sound)
    expect(codeOf(await tryRebuild(uploaded))).toBe('track_processing')
    await service.runJobs()
    const answers = await Promise.all(Array.from({ length: 8 }, () => tryRebuild(uploaded)))
    const codes = answers.map(codeOf)
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
    expect(codes.filter((code) => code === 'track_processing')).toHaveLength(7)
    const rest = await service.v1('POST', `/track/${uploaded}/rebuild`)
    expect([rest.status, rest.json.code]).toEqual([409, 'track_processing'])
    await service.runJobs()
    expect((await readTrack(service, uploaded)).track.track_status_id).toBe('ready')
  }, 30_000)

  test('without a recording, and for an invalid list of variants', async () => {
    const { json } = await service.v1('POST', '/track', {
      body: { collection_id: service.demo.collection_id, file_name: 'a.wav' },
    })
    const empty = await service.v1('POST', `/track/${json.track_id}/rebuild`)
    expect([empty.status, empty.json.code]).toEqual([422, 'no_source_file'])
    const { id } = await processed(service, sound, 'a.wav')
    const foreign = await createForeign(service)
    const deleted = await service.services.db.variant.findFirstOrThrow({ where: { index: 'lq' } })
    for (const one of [UNKNOWN_ID, foreign.variantId, deleted.id]) {
      const variantIds = [await variantId(service, 'hq'), one]
      expect(codeOf(await tryRebuild(id, { variantIds }))).toBe('not_found')
    }
    for (const input of [{ variantIds: [] }, { variantIds: ['x'] }]) {
      expect(codeOf(await tryRebuild(id, input))).toBe('invalid_input')
    }
    expect((await readTrack(service, id)).track.track_status_id).toBe('ready')
  }, 30_000)

  test('for viewers that may not change the track', async () => {
    const { id } = await processed(service, sound, 'a.wav')
    const { key: foreign } = await createForeign(service)
    const elsewhere = (await service.v1('POST', '/collection', { body: { title: 'T' } })).json.collection_id
    const codeFor = async (key: string) => codeOf(await rebuildAs(service, key).tryRebuild(id))
    expect({
      foreign: await codeFor(foreign),
      elsewhere: await codeFor(await makeKey(service, 'api', { collectionId: elsewhere })),
      player: await codeFor(await makeKey(service, 'player')),
      viewer: await codeFor((await signIn(service, await hire(service, owner, 'viewer'))).token),
    }).toEqual({ foreign: 'not_found', elsewhere: 'not_found', player: 'forbidden', viewer: 'forbidden' })
    const scoped = await makeKey(service, 'api', { collectionId: service.demo.collection_id })
    await rebuildAs(service, scoped).rebuild(id, { isOnlyStale: true })
    await rebuildAs(service, owner).rebuild(id, { isOnlyStale: true })
  }, 30_000)
})

test('retryJob rebuilds the files of a failed job', async () => {
  const { id } = await processed(service, sound, 'a.wav')
  const hq = await variantId(service, 'hq')
  const failed: Json = await withProps('hq', { codec: 'opus', bitrate: -5 }, async () => {
    const payload = await rebuild(id, { variantIds: [hq] })
    await service.runJobs()
    return payload
  })
  expect(await jobOf(failed.jobId)).toMatchObject({ state: 'failed', error: expect.stringMatching(/^[a-z_]+$/) })
  const query = 'mutation ($id: ID!) { retryJob(id: $id) { job { id kind state variantIds } } }'
  const { retryJob } = await data(service, query, { id: failed.jobId }, owner)
  expect(retryJob.job).toMatchObject({ kind: 'REBUILD_TRACK', state: 'QUEUED', variantIds: [hq] })
  await service.runJobs()
  expect((await jobOf(retryJob.job.id)).state).toBe('done')
}, 30_000)
