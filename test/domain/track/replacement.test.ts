// A track whose recording is replaced: what listeners get during the change, what stays, and what can be restored.
import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createForeign, makeKey, ok, refused, UNKNOWN_ID, unique } from '../../spec/support.ts'
import { data, signIn } from '../../support/administrators.ts'
import { makeMedia, measure, tone } from '../../support/audio.ts'
import { failingFromPut, runTask } from '../../support/jobs.ts'
import { stripes } from '../../support/picture.ts'
import { eventsOf, measureFile, processed, readTrack } from '../../support/processed.ts'
import { makeEntriesDue } from '../../support/queue.ts'
import { rebuildAs } from '../../support/rebuild.ts'
import { hashOf, replacing } from '../../support/replacement.ts'
import { restoring } from '../../support/restore.ts'
import { type Json, uploadTrack, useTestService } from '../../support/service.ts'
import { isOnBucket } from '../../support/storage.ts'
import { untilBlocked } from '../../support/until.ts'
import { variantsAs } from '../../support/variants.ts'

const DAY_MS = 86_400_000
const service = useTestService()
let recordings: ReturnType<typeof replacing>
let variants: ReturnType<typeof variantsAs>
let owner: string
let first: Uint8Array<ArrayBuffer>
let second: Uint8Array<ArrayBuffer>
/** Quick to process. */
const small = { rate: 8_000, channels: 1 }
const noise = new Uint8Array(5000).fill(65)
beforeAll(async () => {
  recordings = replacing(service)
  owner = (await signIn(service)).token
  variants = variantsAs(service, owner)
  // Fewer files, faster tests.
  const index = { notIn: ['lq', 'waveform', 'cover', 'original'] }
  await service.services.db.variant.updateMany({ where: { index }, data: { deletedAt: new Date() } })
  ;[first, second] = await Promise.all([tone(1, 'wav', small), tone(2, 'flac', small)])
}, 60_000)
afterEach(() => {
  service.clock.now = null
})

const newTrack = () => processed(service, first, 'Song.wav')
const fetchFile = async (file: Json) => {
  const answer = await service.fetchEdge(file.url)
  return { status: answer.status, bytes: await answer.arrayBuffer() }
}
const lq = async () =>
  (await service.services.db.variant.findFirstOrThrow({ where: { index: 'lq', deletedAt: null } })).id
const typesOf = async (id: string) => (await eventsOf(service, id)).map(({ type }) => type)
const duration = async (id: string) => (await readTrack(service, id)).track.duration
const former = async (id: string) => (await recordings.recordings(id)).former_recordings as Json[]

const UPDATE = 'mutation ($id: ID!, $input: UpdateTrackInput!) { updateTrack(id: $id, input: $input) { track { id } } }'

/** Status of bytes that the service does not take. A bucket stores them at their presigned address, where they are left. */
const refusal = isOnBucket ? 200 : 404

describe('a recording that is replaced', () => {
  test('is delivered until the new one is ready; then all of the track is of the new one', async () => {
    const { id, track: before, files } = await newTrack()
    const key = await makeKey(service, 'share', { collectionId: service.demo.collection_id, variantId: await lq() })
    const follow = async () => {
      const link = await service.request('GET', `/v1/stream/${id}/${key}`, { key: null })
      const answer = await service.fetchEdge(link.headers.get('location') ?? '')
      return Math.round((await measure(await answer.arrayBuffer())).durationSeconds)
    }
    expect(await follow()).toBe(1)
    const upload = await recordings.begin(id, { file_name: 'Final mix.flac', file_size: second.length })
    expect(upload.replacement).toMatchObject({ file_name: 'Final mix.flac', track_status_id: 'initialized' })
    const answer = await recordings.put(upload, second)
    if (!isOnBucket) expect(answer.headers.get('x-checksum-sha256')).toBe(hashOf(second))
    expect(await follow()).toBe(1)
    expect((await readTrack(service, id)).track).toEqual(before)
    expect((await recordings.recordings(id)).replacement).toMatchObject({ id: upload.replacement_id })

    await service.runJobs()
    const { track: after, files: newFiles } = await readTrack(service, id)
    expect(await follow()).toBe(2)
    expect(after).toMatchObject({
      duration: 2,
      track_status_id: 'ready',
      info: { codec: 'flac' },
      file_name: 'Song.flac',
    })
    const stays = [
      'index',
      'order',
      'base_path',
      'created_at',
      'file_name_original',
      'player_title',
      'metadata',
    ] as const
    for (const name of stays) expect([name, after[name]]).toEqual([name, before[name]])
    expect(newFiles.lq.id).toBe(files.lq.id)
    expect(newFiles.lq.path).toBe(files.lq.path)
    expect(newFiles.waveform.data.levels).not.toEqual([])
    expect((await measureFile(service, newFiles.lq)).durationSeconds).toBeCloseTo(2, 0)
    // The address that was signed before delivers the new file.
    expect(hashOf((await fetchFile(files.lq)).bytes)).toBe(hashOf((await fetchFile(newFiles.lq)).bytes))
    expect(await recordings.recordings(id)).toMatchObject({
      replacement: null,
      former_recordings: [
        { id: upload.replacement_id, file_name: 'Song.wav', duration: 1, source_bytes: first.length },
      ],
    })
    const row = await recordings.rowOf(id)
    expect(row.sourceSha256).toBe(hashOf(second))
    expect(row.files.every(({ sourceSha256 }) => sourceSha256 === hashOf(second))).toBe(true)
  }, 60_000)

  test('records one event, and those of its files; rows of recordings have none of their own', async () => {
    const { id } = await newTrack()
    const before = (await typesOf(id)).length
    const { replacement_id: other } = await recordings.replace(id, second)
    const types = (await typesOf(id)).slice(before)
    expect(types.filter((type) => type !== 'track_file.created')).toEqual(['track.recording_replaced'])
    expect(types.filter((type) => type === 'track_file.created').length).toBeGreaterThan(1)
    expect((await eventsOf(service, id)).at(-1)?.data).toMatchObject({
      is_restored: false,
      track: { duration: 2, track_status_id: 'ready' },
    })
    expect(await eventsOf(service, other)).toEqual([])
  }, 60_000)

  test('is no track: no list, look-up, link or count shows its row', async () => {
    const { id } = await newTrack()
    const before = await recordings.sums()
    const { replacement_id: other } = await recordings.send(id, second)
    const during = await recordings.sums()
    expect([during.tracks, during.source]).toEqual([before.tracks, before.source + second.length])
    const seen = async () => {
      const text = `{ tracks(first: 200) { nodes { id } totalCount } deletedTracks { nodes { id } } track(id: "${other}") { id } }`
      const answer = await service.graphql(text, {}, owner)
      return [JSON.stringify(answer.data).includes(other), answer.errors[0].extensions.code]
    }
    expect(await seen()).toEqual([false, 'not_found'])
    refused(await service.v1('GET', `/track/${other}`), 404, 'not_found')
    const key = await makeKey(service, 'share', { collectionId: service.demo.collection_id, variantId: await lq() })
    await service.runJobs()
    expect((await service.request('GET', `/v1/stream/${other}/${key}`, { key: null })).status).toBe(404)
    expect(await seen()).toEqual([false, 'not_found'])
    const { json } = await service.v1('GET', `/collection/${service.demo.collection_id}/track?limit=200`)
    expect(json.tracks.map((track: Json) => track.id)).not.toContain(other)
    expect(await restoring(service).restoreTrack(other)).toStartWith('not_found')
    // The bytes of both recordings are counted, and one track.
    const after = await recordings.sums()
    expect([after.tracks, after.source]).toEqual([before.tracks, before.source + second.length])
    expect(after.files).toBeGreaterThan(before.files)
  }, 60_000)

  test('keeps its cover, its names and its chapters when the new one has none', async () => {
    const tags = ['title=Crust', 'artist=A band', 'track=3/12', 'isrc=DEX262600417']
    const metadata = tags.flatMap((tag) => ['-metadata', tag])
    const tagged = await makeMedia(['-f', 'lavfi', '-i', 'sine=duration=1', ...metadata], 'flac')
    const { id } = await processed(service, tagged, 'Song.flac')
    const chapters = [{ title: 'Start', startSeconds: 0 }]
    await data(service, UPDATE, { id, input: { chapters } }, owner)
    const cover = ok(await service.v1('POST', `/track/${id}/cover`)).track_cover_upload.upload_url
    const picture = stripes(64, [[64, [200, 0, 0]]])
    expect((await service.fetchEdge(cover, { method: 'POST', body: new Blob([picture]) })).status).toBe(200)
    await service.runJobs()
    const before = (await readTrack(service, id)).files.cover
    expect(before.is_success).toBe(true)
    await recordings.replace(id, first)
    const { track, files } = await readTrack(service, id)
    expect(files.cover).toMatchObject({ id: before.id, size: before.size })
    expect([track.player_title, track.player_subtitle]).toEqual(['Crust', 'A band'])
    const text = `{ track(id: "${id}") { chapters { title } trackNumber isrc files { isStale variant { index } } } }`
    const answerFields = (await service.graphql(text)).data.track
    expect(answerFields).toMatchObject({ trackNumber: 3, isrc: 'DEX262600417' })
    expect(answerFields.chapters).toEqual([{ title: 'Start' }])
    expect(answerFields.files.filter((file: Json) => file.isStale)).toEqual([])
  }, 60_000)

  test('makes a track ready that no recording could be made for', async () => {
    const { id, track } = await processed(service, noise, 'broken.wav')
    expect(track.track_status_id).toBe('init_error')
    await recordings.replace(id, first)
    expect((await readTrack(service, id)).track).toMatchObject({ track_status_id: 'ready', status_code: null })
    expect(
      (await eventsOf(service, id)).filter(({ type }) => type === 'track.status_changed').at(-1)?.data,
    ).toMatchObject({
      status: 'ready',
      previous_status: 'init_error',
    })
  }, 60_000)
})

describe('a new recording that cannot be used', () => {
  test('leaves the track as it is, which says why; another one may follow', async () => {
    const { id, files } = await newTrack()
    const before = await recordings.sums()
    const { replacement_id: other } = await recordings.replace(id, noise, 'broken.wav')
    expect(await duration(id)).toBe(1)
    expect((await fetchFile(files.lq)).status).toBe(200)
    const answerFields = await recordings.recordings(id)
    expect(answerFields).toMatchObject({
      replacement: { id: other, track_status_id: 'init_error', status_code: 'not_audio', file_name: 'broken.wav' },
      former_recordings: [],
    })
    expect((await eventsOf(service, id)).at(-1)).toMatchObject({
      type: 'track.replacement_failed',
      data: { replacement_id: other, status_code: 'not_audio', file_name: 'broken.wav' },
    })
    expect(await recordings.sums()).toEqual(before)
    await recordings.replace(id, second)
    expect([await duration(id), (await recordings.recordings(id)).replacement]).toEqual([2, null])
  }, 60_000)

  test('is one that lacks a file, which failed, that the track has', async () => {
    const index = unique('also')
    const { variant } = await variants.create({ variantTypeId: 'TRANSCODE', index, codec: 'mp3' })
    const { id } = await newTrack()
    const { replacement_id: other } = await recordings.send(id, second)
    const { db } = service.services
    // As after an attempt that has planned the files. One has failed since.
    await db.track.update({ where: { id: other }, data: { info: { tags: {} }, status: 'processing' } })
    const row = { organizationId: service.demo.organization_id, trackId: other, props: variant.props }
    const failed = { state: 'failed' as const, statusCode: 'encoding_failed', statusText: 'No.' }
    await db.trackFile.create({ data: { ...row, ...failed, variantId: variant.id } })
    const props = { codec: 'mp3', bitrate: 128 }
    await db.trackFile.create({ data: { ...row, props, variantId: await lq() } })
    await service.runJobs()
    expect(await duration(id)).toBe(1)
    expect((await recordings.recordings(id)).replacement).toMatchObject({
      status_code: 'replacement_incomplete',
      status_text: `The file of the variant ${index} could not be made from the new recording. No.`,
    })
    await variants.remove(variant.id)
  }, 60_000)

  test('expires when its bytes do not arrive', async () => {
    const { id } = await newTrack()
    const upload = await recordings.begin(id)
    service.clock.now = new Date(Date.now() + 3601_000 + 6 * 3600_000)
    await runTask(service.services, 'expire_uploads')
    service.clock.now = null
    expect((await recordings.recordings(id)).replacement).toMatchObject({ status_code: 'upload_expired' })
    expect((await recordings.put(upload, second)).status).toBe(refusal)
    ok(await recordings.cancel(id))
    expect((await recordings.recordings(id)).replacement).toBeNull()
    refused(await recordings.cancel(id), 404, 'not_found')
  }, 60_000)
})

describe('a former recording', () => {
  test('is restored with its files, and the other way round', async () => {
    const { id, files: before } = await newTrack()
    const sha = hashOf((await fetchFile(before.lq)).bytes)
    const { replacement_id: recordingId } = await recordings.replace(id, second, 'Final mix.flac')
    const answer = ok(await recordings.tryRestore(id, recordingId))
    expect(answer.track).toMatchObject({ duration: 1, file_name: 'Song.wav', track_status_id: 'ready' })
    const { files } = await readTrack(service, id)
    expect(hashOf((await fetchFile(files.lq)).bytes)).toBe(sha)
    expect(files.original.path).toBe(before.original.path)
    expect((await eventsOf(service, id)).at(-1)).toMatchObject({
      type: 'track.recording_replaced',
      data: { is_restored: true, track: { duration: 1 } },
    })
    expect(await former(id)).toMatchObject([{ id: recordingId, file_name: 'Final mix.flac', duration: 2 }])
    ok(await recordings.tryRestore(id, recordingId))
    expect(await duration(id)).toBe(2)
    await service.runJobs()
    expect(await duration(id)).toBe(2)
  }, 60_000)

  test('is kept to the end of the grace period, then purged: its objects only', async () => {
    const { id } = await newTrack()
    const { replacement_id: recordingId } = await recordings.replace(id, second)
    const row = await recordings.rowOf(recordingId)
    const keys = [row.sourceKey, ...row.files.map(({ storageKey }) => storageKey)].filter((key) => key !== null)
    const isStored = async (key: string) => (await service.services.storage.size(key)) !== null
    expect(keys.length).toBeGreaterThan(2)
    const replacedAt = row.replacedAt?.getTime() ?? 0
    const [answerFields] = await former(id)
    expect(answerFields.restorable_until).toBe(new Date(replacedAt + 7 * DAY_MS).toISOString())

    service.clock.now = new Date(replacedAt + 7 * DAY_MS - 1)
    await runTask(service.services, 'purge_deleted')
    expect(await Promise.all(keys.map(isStored))).toEqual(keys.map(() => true))
    expect(await former(id)).toHaveLength(1)
    service.clock.now = new Date(replacedAt + 7 * DAY_MS)
    expect(await former(id)).toEqual([])
    refused(await recordings.tryRestore(id, recordingId), 410, 'expired')
    await runTask(service.services, 'purge_deleted')
    expect(await Promise.all(keys.map(isStored))).toEqual(keys.map(() => false))
    service.clock.now = null
    const { files } = await readTrack(service, id)
    for (const file of Object.values(files)) expect((await fetchFile(file)).status).toBe(200)
    const { rows } = await service.services.pool.query(`SELECT sum(source_bytes)::int AS source FROM track
      WHERE deleted_at IS NULL OR (replaced_at IS NOT NULL AND purged_at IS NULL)`)
    expect((await recordings.sums()).source).toBe(rows[0].source)
    refused(await recordings.tryRestore(id, recordingId), 410, 'expired')
  }, 60_000)

  test('is restored when a variant was renamed since and its former index taken', async () => {
    const old = unique('old')
    const { variant } = await variants.create({ variantTypeId: 'TRANSCODE', index: old, codec: 'mp3' })
    const { id } = await newTrack()
    const { replacement_id: recordingId } = await recordings.replace(id, second)
    const renamed = unique('renamed')
    await data(
      service,
      'mutation ($id: ID!, $input: UpdateVariantInput!) { updateVariant(id: $id, input: $input) { variant { id } } }',
      { id: variant.id, input: { index: renamed } },
      owner,
    )
    ok(await recordings.tryRestore(id, recordingId))
    const { files } = await readTrack(service, id)
    expect(files[renamed].path).toEndWith(`_${renamed}.mp3`)
    expect((await fetchFile(files[renamed])).status).toBe(200)
    await service.services.db.variant.update({ where: { id: variant.id }, data: { deletedAt: new Date() } })
  }, 60_000)
})

test('tags of a new recording fill the names that no client has set; a former one without names returns without them', async () => {
  const { id } = await newTrack()
  const { player_title, player_subtitle } = (await readTrack(service, id)).track
  await data(service, UPDATE, { id, input: { album: 'Set' } }, owner)
  const names = ['title=Crust', 'artist=A band', 'album=Of tags'].flatMap((tag) => ['-metadata', tag])
  await recordings.replace(id, await makeMedia(['-f', 'lavfi', '-i', 'sine=duration=1', ...names], 'flac'))
  const { title, artist, album } = (await service.graphql(`{ track(id: "${id}") { title artist album } }`)).data.track
  expect([title, artist, album]).toEqual(['Crust', 'A band', 'Set'])
  const [recording] = await former(id)
  ok(await recordings.tryRestore(id, recording?.id))
  expect((await readTrack(service, id)).track).toMatchObject({ player_title, player_subtitle })
}, 60_000)

describe('races', () => {
  test('a second replacement ends the first, also while it is being processed', async () => {
    const { id } = await newTrack()
    const one = await recordings.begin(id)
    const two = await recordings.send(id, second)
    expect((await recordings.put(one, first)).status).toBe(refusal)
    const three = await tone(3, 'wav', small)
    await recordings.send(id, three)
    await service.runJobs()
    expect(await duration(id)).toBe(3)
    expect((await former(id)).map((recording) => recording.duration)).toEqual([1])
    expect((await recordings.rowOf(two.replacement_id)).statusCode).toBe('replacement_cancelled')
  }, 60_000)

  test('two that begin at once leave one', async () => {
    const { id } = await newTrack()
    const uploads = await Promise.all([1, 2, 3].map(() => recordings.begin(id)))
    const answers = await Promise.all(uploads.map((upload) => recordings.put(upload, second)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(isOnBucket ? 3 : 1)
    await service.runJobs()
    expect([await duration(id), (await former(id)).length]).toEqual([2, 1])
  }, 60_000)

  test('the database refuses a second new recording, and a former one that is not deleted', async () => {
    const { id } = await newTrack()
    const upload = await recordings.begin(id)
    const { pool } = service.services
    const copy = pool.query(
      `INSERT INTO track (id, organization_id, collection_id, index, "order", file_name, base_path, upload_expires_at, updated_at,
         replaces_id)
       SELECT gen_random_uuid(), organization_id, collection_id, 'copy', 0, '', 'copy', now(), now(), replaces_id
       FROM track WHERE id = $1`,
      [upload.replacement_id],
    )
    await expect(copy).rejects.toThrow('track_replaced_once')
    const former = pool.query('UPDATE track SET replaced_at = now() WHERE id = $1', [upload.replacement_id])
    await expect(former).rejects.toThrow('track_former_is_deleted')
    ok(await recordings.cancel(id))
  }, 60_000)

  test('a rebuild of the old recording that ends after the change is repeated with the new one', async () => {
    const { id } = await newTrack()
    const { replacement_id: other } = await recordings.send(id, second)
    await rebuildAs(service).rebuild(id)
    const { storage } = service.services
    let isReplaced = false
    const fetch: typeof storage.fetch = async (...args) => {
      const file = await storage.fetch(...args)
      if (!isReplaced) {
        isReplaced = true
        await recordings.run(other)
      }
      return file
    }
    expect(await recordings.run(id, { ...service.services, storage: { ...storage, fetch } })).toBe('requeued')
    expect((await readTrack(service, id)).track.track_status_id).toBe('processing')
    await service.runJobs()
    const { track, files } = await readTrack(service, id)
    expect(track).toMatchObject({ duration: 2, track_status_id: 'ready', info: { codec: 'flac' } })
    expect((await measureFile(service, files.lq)).durationSeconds).toBeCloseTo(2, 0)
    expect((await recordings.rowOf(id)).files.every(({ sourceSha256 }) => sourceSha256 === hashOf(second))).toBe(true)
  }, 60_000)

  test('a variant that is applied while the new recording is processed has a file of it', async () => {
    const { id } = await newTrack()
    const { replacement_id: other } = await recordings.send(id, second)
    const index = unique('late')
    const { put } = service.services.storage
    let isApplied = false
    const storage = {
      ...service.services.storage,
      put: (async (...args: Parameters<typeof put>) => {
        if (!isApplied) {
          isApplied = true
          const { variant } = await variants.create({ variantTypeId: 'TRANSCODE', index, codec: 'mp3' })
          const { db } = service.services
          const row = { organizationId: service.demo.organization_id, trackId: id, variantId: variant.id }
          await db.trackFile.create({ data: { ...row, props: {} } })
        }
        return put(...args)
      }) as typeof put,
    }
    expect(await recordings.run(other, { ...service.services, storage })).toBe('done')
    await service.runJobs()
    const { track, files } = await readTrack(service, id)
    expect(track.track_status_id).toBe('ready')
    expect((await measureFile(service, files[index])).durationSeconds).toBeCloseTo(2, 0)
    await service.services.db.variant.updateMany({ where: { index }, data: { deletedAt: new Date() } })
  }, 60_000)

  test('variants of the track alone have a file of the new recording', async () => {
    const { id } = await newTrack()
    const index = unique('own')
    ok(
      await service.v1('POST', `/track/${id}/variant`, { body: { variant_type_id: 'transcode', index, codec: 'mp3' } }),
    )
    await service.runJobs()
    await recordings.replace(id, second)
    const { files } = await readTrack(service, id)
    expect((await measureFile(service, files[index])).durationSeconds).toBeCloseTo(2, 0)
  }, 60_000)

  test('a failing host delays the new recording, and listeners have the old one', async () => {
    const { id, files } = await newTrack()
    const { replacement_id: other } = await recordings.send(id, second)
    expect(await recordings.run(other, failingFromPut(1, service.services))).toBe('delayed')
    expect((await recordings.recordings(id)).replacement).toMatchObject({
      track_status_id: 'processing',
      status_code: 'processing_delayed',
    })
    expect((await readTrack(service, id)).track).toMatchObject({ track_status_id: 'ready', status_code: null })
    expect((await fetchFile(files.lq)).status).toBe(200)
    await makeEntriesDue(service.services.pool)
    await service.runJobs()
    expect(await duration(id)).toBe(2)
    // A run that is repeated after its end changes nothing.
    const before = await eventsOf(service, id)
    await recordings.run(other)
    expect(await eventsOf(service, id)).toHaveLength(before.length)
  }, 60_000)

  test('a deletion waits for the change, and both take effect', async () => {
    const { id } = await newTrack()
    const { replacement_id: other } = await recordings.send(id, second)
    const { pool } = service.services
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('SELECT FROM track WHERE id = $1 FOR UPDATE', [id])
      const deletion = service.v1('DELETE', `/track/${id}`)
      await untilBlocked(pool)
      const run = recordings.run(other)
      await untilBlocked(pool, { count: 2 })
      await client.query('COMMIT')
      expect((await deletion).status).toBe(200)
      await run
    } finally {
      client.release()
    }
    expect((await recordings.rowOf(id)).deletedAt).not.toBeNull()
  }, 60_000)
})

describe('a track that is deleted while its recording is replaced', () => {
  test.each(['the bytes are sent', 'they are processed'])(
    'and restored before %s ends with the new one',
    async (moment) => {
      const { id } = await newTrack()
      const studio = restoring(service)
      const upload = await recordings.begin(id)
      if (moment === 'they are processed') await recordings.put(upload, second)
      expect(await studio.deleteTrack(id)).toBeNull()
      if (moment === 'the bytes are sent') expect((await recordings.put(upload, second)).status).toBe(refusal)
      await service.runJobs()
      expect(await studio.restoreTrack(id)).toBeNull()
      if (moment === 'the bytes are sent') expect((await recordings.put(upload, second)).status).toBe(200)
      await service.runJobs()
      expect([await duration(id), (await former(id)).length]).toEqual([2, 1])
    },
    60_000,
  )

  test('with its collection returns with it; a former recording stays one', async () => {
    const { collection_id: collectionId } = ok(await service.v1('POST', '/collection', { body: { title: 'one' } }))
    const { track_id: id } = ok(
      await service.v1('POST', '/track', { body: { collection_id: collectionId, file_name: 'a.wav' } }),
    )
    const { db } = service.services
    await service.fetchEdge((await tracksUpload(id)) as string, { method: 'PUT', body: new Blob([first]) })
    await service.runJobs()
    const { replacement_id: recordingId } = await recordings.replace(id, second)
    const { replacement_id: other } = await recordings.send(id, await tone(3, 'wav', small))
    const studio = restoring(service)
    // The collection is deleted in the millisecond in which the recording was replaced.
    service.clock.now = (await recordings.rowOf(recordingId)).replacedAt
    expect(await studio.deleteCollection(collectionId)).toBeNull()
    await service.runJobs()
    expect(await studio.restoreCollection(collectionId)).toBeNull()
    service.clock.now = null
    expect((await recordings.rowOf(recordingId)).deletedAt).not.toBeNull()
    expect((await recordings.rowOf(other)).deletedAt).toBeNull()
    await service.runJobs()
    expect([await duration(id), (await former(id)).length]).toEqual([3, 2])
    expect(await db.track.count({ where: { collectionId, deletedAt: null } })).toBe(1)
  }, 60_000)

  test('is forgotten after its former recordings', async () => {
    const { id } = await newTrack()
    const { replacement_id: recordingId } = await recordings.replace(id, second)
    const { db } = service.services
    await service.v1('DELETE', `/track/${id}`)
    await db.job.deleteMany({ where: { trackId: { in: [id, recordingId] } } })
    await db.track.updateMany({ where: { id: { in: [id, recordingId] } }, data: { purgedAt: new Date(0) } })
    await runTask(service.services, 'forget_tracks')
    expect(await db.track.count({ where: { id: { in: [id, recordingId] } } })).toBe(1)
    await runTask(service.services, 'forget_tracks')
    expect(await db.track.count({ where: { id: { in: [id, recordingId] } } })).toBe(0)
  }, 60_000)

  const tracksUpload = async (id: string) => {
    const { organizationId } = await recordings.rowOf(id)
    const { signing, config } = service.services
    const issuedMs = Date.now()
    return (
      config.edgeUrl +
      signing.uploadPath({ target: 'track', id, organizationId, issuedMs, expiresMs: issuedMs + 60_000 })
    )
  }
})

describe('a replacement is refused', () => {
  test('for an unknown, foreign or deleted track, and a wrong key', async () => {
    const { id } = await newTrack()
    refused(await recordings.tryReplace(UNKNOWN_ID), 404, 'not_found')
    const foreign = await createForeign(service)
    refused(await recordings.tryReplace(id, undefined, foreign.key), 404, 'not_found')
    refused(await recordings.tryReplace(id, undefined, await makeKey(service, 'player')), 403, 'forbidden')
    refused(await recordings.tryReplace(id, undefined, null), 401, 'unauthenticated')
    refused(await recordings.tryReplace(id, {}), 400, 'invalid_input', 'file_name')
    refused(await recordings.tryReplace(id, { file_name: 'a', file_size: 2 ** 40 }), 413, 'too_large')
    refused(await recordings.tryRestore(id, UNKNOWN_ID), 404, 'not_found')
    ok(await service.v1('DELETE', `/track/${id}`))
    refused(await recordings.tryReplace(id), 404, 'not_found')
  }, 60_000)

  test('while the track itself is uploaded or processed; a restoration also while a new recording is', async () => {
    const waiting = await uploadTrack(service, first)
    refused(await recordings.tryReplace(waiting), 409, 'track_processing')
    await service.runJobs()
    const { replacement_id: recordingId } = await recordings.replace(waiting, second)
    await recordings.begin(waiting)
    refused(await recordings.tryRestore(waiting, recordingId), 409, 'track_processing')
    ok(await recordings.cancel(waiting))
    ok(await recordings.tryRestore(waiting, recordingId))
  }, 60_000)
})

test('an Idempotency-Key begins one replacement', async () => {
  const { id } = await newTrack()
  const call = { body: { file_name: 'new.wav' }, headers: { 'idempotency-key': unique('key') } }
  const [one, two] = [
    await service.v1('POST', `/track/${id}/recording`, call),
    await service.v1('POST', `/track/${id}/recording`, call),
  ]
  expect(two.json).toEqual(one.json)
  expect(await service.services.db.track.count({ where: { replacesId: id } })).toBe(1)
}, 60_000)
