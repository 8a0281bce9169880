import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { Prisma } from '../../../src/platform/db/generated/client/client.ts'
import { createForeign, UNKNOWN_ID } from '../../spec/support.ts'
import { data, post, signIn } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { rebuildAs } from '../../support/rebuild.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { variantId, variantsAs } from '../../support/variants.ts'

const service = useTestService()
let owner: string
let variants: ReturnType<typeof variantsAs>
/** Two tracks with two files each. */
let one: string
let other: string
beforeAll(async () => {
  owner = (await signIn(service)).token
  variants = variantsAs(service, owner)
  const index = { notIn: ['hq', 'waveform'] }
  await service.services.db.variant.updateMany({ where: { index }, data: { deletedAt: new Date() } })
  const sound = await tone(1)
  one = (await processed(service, sound, 'one.wav')).id
  other = (await processed(service, sound, 'other.wav')).id
}, 60_000)
beforeEach(async () => {
  await rebuildAs(service).rebuild(one)
  await service.runJobs()
})

const LIST = `query ($filter: TrackFilter) { tracks(filter: $filter) {
  totalCount nodes { id files { isStale variant { index } } } } }`
async function list(filter: object, key = service.demo.api_key): Promise<string[]> {
  const { tracks } = await data(service, LIST, { filter }, key)
  expect(tracks.totalCount).toBe(tracks.nodes.length)
  return tracks.nodes.map(({ id }: Json) => id).sort()
}
/** Returns the indexes of the stale files of a track. Checks that `isStale` and the view agree. */
async function staleOf(id: string): Promise<string[]> {
  const query = 'query ($id: ID!) { track(id: $id) { files { isStale variant { index } } } }'
  const { track } = await data(service, query, { id }, owner)
  const staleIndexes = track.files.filter(({ isStale }: Json) => isStale).map(({ variant }: Json) => variant.index)
  const rows = await service.services.db.staleFile.findMany({ where: { trackId: id } })
  const where = { id: { in: rows.map(({ variantId: variant }) => variant) } }
  const staleVariants = await service.services.db.variant.findMany({ where })
  expect(staleVariants.map(({ index }) => index).sort()).toEqual(staleIndexes.sort())
  return staleIndexes
}

describe('hasStaleFiles', () => {
  test('matches no track without a change', async () => {
    expect(await list({ hasStaleFiles: true })).toEqual([])
    expect(await list({ hasStaleFiles: false })).toEqual([one, other].sort())
    expect(await staleOf(one)).toEqual([])
  })

  test('matches tracks whose variant changed its parameters or its index', async () => {
    const waveform = await variantId(service, 'waveform')
    await variants.update(waveform, { numSamples: 40 })
    expect(await list({ hasStaleFiles: true })).toEqual([one, other].sort())
    await rebuildAs(service).rebuild(one, { isOnlyStale: true })
    await service.runJobs()
    expect(await list({ hasStaleFiles: true })).toEqual([other])
    expect(await list({ hasStaleFiles: false })).toEqual([one])
    expect([await staleOf(one), await staleOf(other)]).toEqual([[], ['waveform']])
    await variants.update(waveform, { numSamples: null, index: 'wave' })
    expect([await staleOf(one), await staleOf(other)]).toEqual([['wave'], ['wave']])
    await variants.update(waveform, { index: 'waveform' })
    expect([await staleOf(one), await staleOf(other)]).toEqual([['waveform'], []])
  }, 30_000)

  test('matches files of another recording, if both hashes are known', async () => {
    const { db } = service.services
    const { sourceSha256 } = await db.track.findUniqueOrThrow({ where: { id: one } })
    const states: [ofTrack: string | null, stale: string[]][] = [
      ['b'.repeat(64), ['hq', 'waveform']],
      [null, []],
      [sourceSha256, []],
    ]
    for (const [ofTrack, stale] of states) {
      await db.track.update({ where: { id: one }, data: { sourceSha256: ofTrack } })
      expect((await staleOf(one)).sort()).toEqual(stale)
    }
    await db.trackFile.updateMany({ where: { trackId: one }, data: { sourceSha256: null } })
    expect(await staleOf(one)).toEqual([])
  })

  test('ignores failed and unfinished files and those of deleted variants', async () => {
    const { db } = service.services
    const where = { trackId: one, variantId: await variantId(service, 'hq') }
    const stale = { recipe: {} }
    await db.trackFile.updateMany({ where, data: stale })
    expect(await staleOf(one)).toEqual(['hq'])
    await db.trackFile.updateMany({ where, data: { recipe: Prisma.DbNull } })
    expect(await staleOf(one)).toEqual(['hq'])
    await db.trackFile.updateMany({ where, data: { state: 'failed', statusCode: 'a', statusText: 'b' } })
    expect(await staleOf(one)).toEqual([])
    await db.trackFile.updateMany({ where, data: { state: 'done' } })
    await db.variant.update({ where: { id: where.variantId }, data: { deletedAt: new Date() } })
    expect(await list({ hasStaleFiles: true })).toEqual([])
    await db.variant.update({ where: { id: where.variantId }, data: { deletedAt: null } })
  })

  test('works within a scope, with other filters, and through a collection', async () => {
    await service.services.db.trackFile.updateMany({ where: { trackId: one }, data: { recipe: {} } })
    const { key: foreign } = await createForeign(service)
    expect(await list({ hasStaleFiles: true }, foreign)).toEqual([])
    expect(await list({ hasStaleFiles: true, search: 'one' })).toEqual([one])
    expect(await list({ hasStaleFiles: true, search: 'other' })).toEqual([])
    expect(await list({ hasStaleFiles: true, collectionId: UNKNOWN_ID })).toEqual([])
    const nested = `query ($id: ID!) { collection(id: $id) { tracks(filter: { hasStaleFiles: true }) { totalCount nodes { id } } } }`
    const { collection } = await data(service, nested, { id: service.demo.collection_id }, owner)
    expect(collection.tracks).toEqual({ totalCount: 1, nodes: [{ id: one }] })
    const text = 'query { tracks(filter: { hasStaleFiles: "yes" }) { totalCount } }'
    const wrong = await post(service, text, {}, { key: owner })
    expect(wrong.json.errors).toHaveLength(1)
  })
})

test('madeByFfmpegOtherThan matches tracks with files of another version', async () => {
  const { db, tools } = service.services
  expect(await list({ madeByFfmpegOtherThan: tools.version })).toEqual([])
  expect(await list({ madeByFfmpegOtherThan: '0.1' })).toEqual([one, other].sort())
  for (const ffmpegVersion of ['4.4', null]) {
    await db.trackFile.updateMany({ where: { trackId: one, index: 'hq' }, data: { ffmpegVersion } })
    expect(await list({ madeByFfmpegOtherThan: tools.version })).toEqual([one])
    // Another version of ffmpeg does not make a file stale.
    expect(await staleOf(one)).toEqual([])
  }
})
