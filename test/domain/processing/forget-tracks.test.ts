// Rows of purged tracks: deleted 30 days after the purge, unless something still refers to them.
import { afterEach, expect, test } from 'bun:test'
import { issueKey } from '../../../src/domain/access/key/keys.ts'
import { DAY_MS } from '../../../src/platform/time.ts'
import * as database from '../../support/administrators.ts'
import { runTask } from '../../support/jobs.ts'
import { playableTrack } from '../../support/playable.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService()
const rowsOf = async (text: string, values?: unknown[]): Promise<Json[]> =>
  (await database.sql(service, text, values)).rows
afterEach(() => {
  service.clock.now = null
})

/** A track that is deleted and purged, with two files and a variant of its own. */
async function purgedTrack(): Promise<string> {
  const id = await playableTrack(service)
  const { db } = service.services
  const data = { organizationId: service.demo.organization_id, trackId: id, type: 'transcode', props: {} } as const
  await db.variant.create({ data: { ...data, index: `own_${id.slice(-6)}` } })
  await rowsOf('UPDATE track SET deleted_at = now(), purged_at = now() WHERE id = $1', [id])
  return id
}
const rowsLeft = async (id: string): Promise<Json> =>
  (
    await rowsOf(
      `SELECT (SELECT count(*)::int FROM track WHERE id = $1) AS tracks,
        (SELECT count(*)::int FROM track_file WHERE track_id = $1) AS files,
        (SELECT count(*)::int FROM variant WHERE track_id = $1) AS variants`,
      [id],
    )
  )[0]
const forgetAfter = (days: number) => {
  service.clock.now = new Date(Date.now() + days * DAY_MS)
  return runTask(service.services, 'forget_tracks')
}
const ALL = { tracks: 1, files: 2, variants: 1 }
const NONE = { tracks: 0, files: 0, variants: 0 }

test('are deleted 30 days after the purge, without a change of any sum', async () => {
  const [id, deleted] = [await purgedTrack(), await playableTrack(service)]
  await rowsOf('UPDATE track SET deleted_at = now() WHERE id = $1', [deleted])
  const sums = () => rowsOf('SELECT sum(tracks)::int AS tracks, sum(file_bytes)::int AS bytes FROM track_sum')
  const before = await sums()
  const changes = () => rowsOf('SELECT FROM ledger.delivery_change WHERE subject = $1', [id])
  const logged = (await changes()).length
  await forgetAfter(29)
  expect(await rowsLeft(id)).toEqual(ALL)
  await forgetAfter(31)
  expect(await rowsLeft(id)).toEqual(NONE)
  expect((await rowsLeft(deleted)).tracks).toBe(1)
  expect(await sums()).toEqual(before)
  expect((await changes()).length).toBe(logged)
})

test('stay while a key is limited to the track, or a job or play session refers to it', async () => {
  const organizationId = service.demo.organization_id
  const [ofKey, ofJob, ofSession] = [await purgedTrack(), await purgedTrack(), await purgedTrack()]
  const { id: variantId } = await service.services.db.variant.findFirstOrThrow({ where: { index: 'hq' } })
  const fields = { title: 'One track', variantId, trackId: ofKey, collectionId: service.demo.collection_id }
  await issueKey(service.services, organizationId, 'share', fields)
  await service.services.db.job.create({
    data: { organizationId, kind: 'process_track', state: 'done', trackId: ofJob },
  })
  const session = {
    organizationId,
    trackId: ofSession,
    id: crypto.randomUUID(),
    expiresAt: new Date(Date.now() + 3_600_000),
  }
  await service.services.db.playSession.create({ data: session })
  await forgetAfter(60)
  for (const id of [ofKey, ofJob, ofSession]) expect(await rowsLeft(id)).toEqual(ALL)
  await rowsOf('DELETE FROM job WHERE track_id = $1', [ofJob])
  await rowsOf('DELETE FROM play_session WHERE track_id = $1', [ofSession])
  await forgetAfter(60)
  expect([await rowsLeft(ofJob), await rowsLeft(ofSession)]).toEqual([NONE, NONE])
  expect(await rowsLeft(ofKey)).toEqual(ALL)
})
