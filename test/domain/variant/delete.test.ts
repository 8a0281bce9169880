import { afterEach, beforeAll, expect, test } from 'bun:test'
import type { Services } from '../../../src/platform/context.ts'
import { makeKey, unique } from '../../spec/support.ts'
import { codeOf, signIn } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { runTask } from '../../support/jobs.ts'
import { eventsOf, measureFile, processed, readTrack } from '../../support/processed.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'
import { untilBlocked } from '../../support/until.ts'
import { variantsAs } from '../../support/variants.ts'

const service = useTestService()
let sound: Uint8Array<ArrayBuffer>
let variants: ReturnType<typeof variantsAs>
beforeAll(async () => {
  variants = variantsAs(service, (await signIn(service)).token)
  const others = { index: { notIn: ['hq'] } }
  await service.services.db.variant.updateMany({ where: others, data: { deletedAt: new Date() } })
  sound = await tone(1)
}, 60_000)
afterEach(() => {
  service.clock.now = null
})

const stored = () => service.objects.keys('files/')
const storageKey = async (id: string) =>
  (await service.services.db.trackFile.findUniqueOrThrow({ where: { id } })).storageKey
const isStored = async (key: string | null) => (await service.services.storage.size(key ?? '')) !== null
const purgeAfter = async (days: number) => {
  service.clock.now = new Date(Date.now() + days * 86_400_000)
  await runTask(service.services, 'purge_deleted')
  service.clock.now = null
}
const FILES = 'query ($id: ID!) { track(id: $id) { files { state isStale variant { index } } } }'

test('stops showing, delivering and streaming its files at once, and deletes the bytes after the grace period', async () => {
  const { variant } = await variants.create({ variantTypeId: 'TRANSCODE', index: 'gone', codec: 'mp3' })
  const { id, files } = await processed(service, sound, 'a.wav')
  const key = await makeKey(service, 'share', { variantId: variant.id })
  const stream = () => service.v1('GET', `/stream/${id}/${key}`, { key: null })
  const [gone, hqKey] = [await storageKey(files.gone.id), await storageKey(files.hq.id)]
  expect([(await stream()).status, (await service.fetchEdge(files.gone.url)).status]).toEqual([302, 200])

  await variants.remove(variant.id)
  const after = async () => {
    expect([(await stream()).status, (await service.fetchEdge(files.gone.url)).status]).toEqual([404, 403])
    expect(Object.keys((await readTrack(service, id)).files)).toEqual(['hq'])
    for (let run = 0; run < 2; run++) {
      const { data } = await service.graphql(FILES, { id })
      expect(data.track.files).toEqual([{ state: 'DONE', isStale: false, variant: { index: 'hq' } }])
    }
    expect((await service.v1('GET', `/variant/${variant.id}`)).status).toBe(404)
  }
  await after()
  await service.runJobs()
  await after()
  await purgeAfter(6.99)
  expect([await isStored(gone), await isStored(hqKey)]).toEqual([true, true])
  await purgeAfter(7.01)
  expect([await isStored(gone), await isStored(hqKey)]).toEqual([false, true])
  expect((await service.fetchEdge(files.hq.url)).status).toBe(200)
  expect(codeOf(await variants.tryDelete(variant.id))).toBe('not_found')
}, 30_000)

test('keeps the files of a new variant with the same index, at the same URLs', async () => {
  const input = { variantTypeId: 'TRANSCODE', index: 'again', codec: 'mp3' }
  const first = (await variants.create(input)).variant
  const { id, files } = await processed(service, sound, 'a.wav')
  await variants.remove(first.id)
  const { variant, batch } = await variants.create({ ...input, isStereo: false, applyToExisting: true })
  expect(batch.total).toBe(0)
  await service.runJobs()
  const { files: now } = await readTrack(service, id)
  expect(now.again.path).toBe(files.again.path)
  expect((await measureFile(service, now.again)).channels).toBe(1)
  await purgeAfter(8)
  expect((await measureFile(service, now.again)).channels).toBe(1)
  expect(await isStored(await storageKey(now.again.id))).toBe(true)
  await variants.remove(variant.id)
  await service.runJobs()
}, 30_000)

test('discards a file that is finished after the deletion, also with a new variant of the same index', async () => {
  const input = { variantTypeId: 'TRANSCODE', index: 'late', codec: 'mp3' }
  const first = (await variants.create(input)).variant
  const id = await uploadTrack(service, sound)
  const { storage, db } = service.services
  let second = ''
  const put: typeof storage.put = async (...args) => {
    if (second === '') {
      second = 'being made'
      await variants.remove(first.id)
      await runTask(service.services, 'clear_variant', { variantId: first.id })
      second = (await variants.create({ ...input, isStereo: false, applyToExisting: true })).variant.id
    }
    return storage.put(...args)
  }
  const services: Services = { ...service.services, storage: { ...storage, put } }
  const job = await db.job.findFirstOrThrow({ where: { trackId: id } })
  await runTask(services, 'process_track', { jobId: job.id })
  const early = await readTrack(service, id)
  expect([early.track.track_status_id, Object.keys(early.files)]).toEqual(['ready', ['hq']])
  await service.runJobs()
  const { track, files } = await readTrack(service, id)
  expect([track.track_status_id, Object.keys(files).sort()]).toEqual(['ready', ['hq', 'late']])
  expect((await measureFile(service, files.late)).channels).toBe(1)
  expect(await db.trackFile.count({ where: { variantId: first.id } })).toBe(0)
  // The bytes of the late file are deleted, and no others.
  const before = await stored()
  expect(before.some((name) => name.includes(first.id))).toBe(true)
  const live = await db.variant.findMany({ where: { deletedAt: null } })
  await purgeAfter(8)
  const liveNames = before.filter((name) => live.some((variant) => name.includes(variant.id)))
  expect((await stored()).sort()).toEqual(liveNames.sort())
  await variants.remove(second)
  await service.runJobs()
}, 30_000)

test('makes a track ready that was incomplete only because of the variant, and records one event', async () => {
  const { db } = service.services
  const props = { codec: 'opus', bitrate: -5, is_stereo: true, is_strip_tags: true, is_strip_cover: true }
  const organizationId = service.demo.organization_id
  const data = { organizationId, type: 'transcode' as const, index: 'broken', props }
  const { id: broken } = await db.variant.create({ data })
  const { id, track } = await processed(service, sound, 'a.wav')
  expect(track.track_status_id).toBe('incomplete')
  await variants.remove(broken)
  await service.runJobs()
  await runTask(service.services, 'clear_variant', { variantId: broken })
  expect((await readTrack(service, id)).track.track_status_id).toBe('ready')
  const changes = (await eventsOf(service, id)).filter(({ type }) => type === 'track.status_changed')
  expect(changes.map(({ data }) => [data.previous_status, data.status])).toEqual([
    ['fallback_processing', 'incomplete'],
    ['incomplete', 'ready'],
  ])
  expect(changes[1]?.data.files.map((file: { variant: { index: string } }) => file.variant.index)).toEqual(['hq'])
}, 30_000)

test('keeps the bytes that a file is delivered from, even when they are on the purge list', async () => {
  const { files } = await processed(service, sound, 'a.wav')
  const key = (await storageKey(files.hq.id)) ?? ''
  await service.services.db.unusedObject.create({ data: { key, removeAfter: new Date(0) } })
  await purgeAfter(0)
  expect([await isStored(key), await service.services.db.unusedObject.count({ where: { key } })]).toEqual([true, 0])
})

test('reserves the old index of a renamed variant until it is applied', async () => {
  const { variant } = await variants.create({ variantTypeId: 'TRANSCODE', index: 'before', codec: 'mp3' })
  const { id, files } = await processed(service, sound, 'a.wav')
  await variants.update(variant.id, { index: 'after' })
  const stale = await readTrack(service, id)
  expect(stale.files.after.path).toBe(files.before.path)
  expect((await service.fetchEdge(stale.files.after.url)).status).toBe(200)
  const input = { variantTypeId: 'TRANSCODE', index: 'before' }
  const rejected = await variants.tryCreate(input)
  expect([codeOf(rejected), rejected.json.errors[0].message]).toEqual(['index_taken', expect.stringContaining('after')])
  const body = { variant_type_id: 'transcode', index: 'before' }
  expect((await service.v1('POST', `/track/${id}/variant`, { body })).json.code).toBe('index_taken')

  await variants.apply(variant.id)
  const { storage } = service.services
  const { put } = storage
  storage.put = async () => Promise.reject(new Error('nothing is to be made'))
  await service.runJobs()
  storage.put = put
  const renamed = (await readTrack(service, id)).files.after
  expect(renamed.path).toEndWith('_after.mp3')
  expect((await service.fetchEdge(renamed.url)).status).toBe(200)
  expect((await service.fetchEdge(files.before.url)).status).toBe(403)
  const { variant: next } = await variants.create(input)
  for (const target of [variant, next]) await variants.remove(target.id)
  await service.runJobs()
}, 30_000)

test('does not plan a file for a variant that is deleted while the plan is made', async () => {
  const { variant } = await variants.create({ variantTypeId: 'LEVELS', index: unique('v') })
  const id = await uploadTrack(service, sound)
  const client = await service.services.pool.connect()
  await client.query('BEGIN')
  await client.query('UPDATE variant SET deleted_at = now() WHERE id = $1', [variant.id])
  const running = service.runJobs()
  await untilBlocked(service.services.pool)
  await client.query('COMMIT')
  client.release()
  await running
  expect(await service.services.db.trackFile.count({ where: { trackId: id, variantId: variant.id } })).toBe(0)
}, 30_000)
