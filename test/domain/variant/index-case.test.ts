// The index of a variant is matched without regard to case wherever a client names it (contract, section 3).
import { beforeAll, describe, expect, test } from 'bun:test'
import { createCollection, createTrack, makeReady, ok, refused, unique } from '../../spec/support.ts'
import { codeOf, signIn } from '../../support/administrators.ts'
import { playableTrack } from '../../support/playable.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { variantsAs } from '../../support/variants.ts'

const service = useTestService()
let variants: ReturnType<typeof variantsAs>
let organizationId: string
beforeAll(async () => {
  variants = variantsAs(service, (await signIn(service)).token)
  organizationId = service.demo.organization_id
})

const transcode = (index: string) => ({ variantTypeId: 'TRANSCODE', index })
const props = { codec: 'mp3', bitrate: 128, is_stereo: true, is_strip_tags: true, is_strip_cover: true }

/** A track's own variant, with a finished file where the track is playable. */
async function trackVariant(trackId: string, index: string): Promise<string> {
  const { db } = service.services
  const data = { organizationId, trackId, type: 'transcode', index, props } as const
  const { id: variantId } = await db.variant.create({ data })
  const { basePath } = await db.track.findUniqueOrThrow({ where: { id: trackId } })
  const file = { organizationId, trackId, variantId, index, props, path: `${basePath}_${index}.mp3`, size: 1n }
  const storageKey = `files/${file.path}`
  const doneState = { state: 'done', fileName: 'song.mp3', contentType: 'audio/mpeg', sha256: 'a'.repeat(64) } as const
  await db.trackFile.create({ data: { ...file, ...doneState, storageKey, completedAt: new Date() } })
  return variantId
}

describe('two indexes that differ only in case', () => {
  test.each(['HQ', 'Hq', 'hQ'])('rejects organization-wide %s next to hq', async (index) => {
    expect(codeOf(await variants.tryCreate(transcode(index)))).toBe('index_taken')
    const { variant } = await variants.create(transcode(unique('v')))
    expect(codeOf(await variants.tryUpdate(variant.id, { index }))).toBe('index_taken')
  })

  test('rejects the index of a track next to an organization-wide one, and next to its own', async () => {
    const { id } = await createTrack(service)
    await makeReady(service, id)
    const add = (index: string) =>
      service.v1('POST', `/track/${id}/variant`, { body: { variant_type_id: 'transcode', index } })
    refused(await add('PreView'), 409, 'index_taken', 'index')
    await trackVariant(id, 'MP3_High')
    refused(await add('mp3_HIGH'), 409, 'index_taken', 'index')
  })

  test('accepts different spellings for two tracks', async () => {
    const [first, second] = [await createTrack(service), await createTrack(service)]
    await trackVariant(first.id, 'Same_Name')
    await trackVariant(second.id, 'same_name')
    expect(codeOf(await variants.tryCreate(transcode('SAME_NAME')))).toBe('index_taken')
  })

  test('accepts a change of case, and the index of a deleted variant', async () => {
    const index = unique('Case')
    const { variant } = await variants.create(transcode(index))
    expect((await variants.update(variant.id, { index: index.toUpperCase() })).index).toBe(index.toUpperCase())
    await variants.remove(variant.id)
    expect((await variants.create(transcode(index.toLowerCase()))).variant.index).toBe(index.toLowerCase())
  })

  test('rejects an index that files of a renamed variant still have', async () => {
    const index = unique('Kept')
    const { variant } = await variants.create(transcode(index))
    await playableTrack(service, { indexes: [index] })
    await variants.update(variant.id, { index: unique('renamed') })
    expect(codeOf(await variants.tryCreate(transcode(index.toUpperCase())))).toBe('index_taken')
  })

  test('are rejected by PostgreSQL', async () => {
    const data = { organizationId, type: 'transcode', index: 'PREVIEW', props } as const
    const write = async () => service.services.db.variant.create({ data })
    await expect(write()).rejects.toThrow('variant_index_taken')
  })
})

describe('clients use any case', () => {
  let trackId: string
  let collectionId: string
  beforeAll(async () => {
    collectionId = (await createCollection(service)).id
    trackId = await playableTrack(service, { collectionId, indexes: ['hq', 'preview'] })
    await trackVariant(trackId, 'MP3_High')
    // `_` is a character of an index, not a wildcard.
    await trackVariant(trackId, 'MP3xHigh')
  })
  const open = (body: object, key?: string) => service.v1('POST', '/play_session/track', { body, key })
  const played = (session: Json) => session.first_track.variants.map(({ variant }: Json) => variant.index)

  test.each([['mp3_high'], ['MP3_HIGH'], ['MP3_High']])('in a play session: %s', async (name) => {
    const session = ok(await open({ track_id: trackId, variants: [name, 'HQ'] }))
    expect(session.play_session.variants).toEqual(['MP3_High', 'hq'])
    expect(played(session)).toEqual(['MP3_High', 'hq'])
    const again = ok(await open({ track_id: trackId, variants: [name, 'mp3_high', 'hq', 'HQ'] }))
    expect(again.play_session.variants).toEqual(['MP3_High', 'hq'])
  })

  test('in a session of a collection, for every spelling of its tracks', async () => {
    const other = await playableTrack(service, { collectionId, order: 1, indexes: [] })
    await trackVariant(other, 'mp3_HIGH')
    const body = { collection_id: collectionId, variants: ['mp3_high'] }
    const session = ok(await service.v1('POST', '/play_session/collection', { body }))
    expect(session.count).toBe(2)
    expect(played(session)).toEqual(['MP3_High'])
    const second = ok(await service.v1('GET', `/play/${session.play_session_id}/${other}`, { key: null }))
    expect(second.variants.map(({ variant }: Json) => variant.index)).toEqual(['mp3_HIGH'])
  })

  test('in a session that is older than a change of case', async () => {
    const index = unique('Later')
    const { variant } = await variants.create(transcode(index))
    const id = await playableTrack(service, { indexes: [index] })
    const session = ok(await open({ track_id: id, variants: [index] }))
    await variants.update(variant.id, { index: index.toUpperCase() })
    const read = ok(await service.v1('GET', `/play_session/${session.play_session_id}`, { key: null }))
    expect(read.count).toBe(1)
    expect(played(read)).toEqual([index.toUpperCase()])
  })

  test.each(['mp3_high', 'MP3_High', 'MP3_HIGH'])('in the download path: %s', async (name) => {
    const { play_session_id } = ok(await open({ track_id: trackId, is_downloadable: true }))
    const path = `/play/${play_session_id}/${trackId}/${name}/download`
    expect(ok(await service.v1('GET', path, { key: null })).download.variant.index).toBe('MP3_High')
    const query = `{ playSession(id: "${play_session_id}") { firstTrack {
      download(variantIndex: "${name}") { variantIndex } } } }`
    expect((await service.graphql(query)).data.playSession.firstTrack.download.variantIndex).toBe('MP3_High')
    refused(await service.v1('GET', path.replace('_', '-'), { key: null }), 404, 'not_found', 'variant_index')
  })

  test('in a player key, which limits sessions to them', async () => {
    const body = {
      title: 'K',
      api_key_type_id: 'player',
      collection_id: collectionId,
      track_id: trackId,
      variants: ['HQ', 'mp3_high'],
    }
    const { api_key, api_key_id } = ok(await service.v1('POST', '/api_key', { body }))
    const stored = await service.services.db.apiKey.findUniqueOrThrow({ where: { id: api_key_id } })
    expect(stored.variants).toEqual(['hq', 'MP3_High'])
    expect(ok(await open({}, api_key)).play_session.variants).toEqual(['hq', 'MP3_High'])
    expect(ok(await open({ variants: ['Mp3_HIGH'] }, api_key)).play_session.variants).toEqual(['MP3_High'])
    refused(await open({ variants: ['PREVIEW'] }, api_key), 404, 'not_found', 'variants')
  })

  test('in a share key, by REST and GraphQL', async () => {
    const body = { title: 'K', api_key_type_id: 'share', variants: ['Preview'] }
    const { api_key_id } = ok(await service.v1('POST', '/api_key', { body }))
    const { data } = await service.graphql(
      'mutation { createShareKey(input: { title: "K", variant: "PREVIEW" }) { record { variant { index } } } }',
    )
    expect(data.createShareKey.record.variant.index).toBe('preview')
    const stored = await service.services.db.apiKey.findUniqueOrThrow({
      where: { id: api_key_id },
      include: { variant: true },
    })
    expect(stored.variant?.index).toBe('preview')
  })
})
