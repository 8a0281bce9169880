// Upload sessions: how they end, and when their rows are deleted.
import { afterEach, expect, test } from 'bun:test'
import { DAY_MS } from '../../../src/platform/time.ts'
import { createCollection, createTrack, ok, refused } from '../../spec/support.ts'
import { runTask } from '../../support/jobs.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
afterEach(() => {
  service.clock.now = null
})

const open = async (collectionId: string): Promise<string> =>
  ok(
    await service.v1('POST', '/upload_session', {
      body: { collection_id: collectionId, track: { file_name: 'a.wav' } },
    }),
  ).upload_session.id
const read = (id: string) => service.v1('GET', `/upload_session/${id}`, { key: null })

test('a session of a deleted collection is not found, by every request that names it', async () => {
  const { id: collectionId } = await createCollection(service)
  const id = await open(collectionId)
  expect((await read(id)).status).toBe(200)
  ok(await service.v1('DELETE', `/collection/${collectionId}`))
  refused(await read(id), 404, 'not_found', 'upload_session_id')
  const upload = await service.v1('POST', `/upload/${id}/track`, { key: null, body: { file_name: 'b.wav' } })
  refused(upload, 404, 'not_found', 'upload_session_id')
})

test('a session is expired for 30 days after its end, then not found; its track keeps the ID', async () => {
  const { id: collectionId } = await createCollection(service)
  const id = await open(collectionId)
  const { db } = service.services
  const end = (await db.uploadSession.findUniqueOrThrow({ where: { id } })).expiresAt.getTime()
  const forgetAt = async (ms: number) => {
    service.clock.now = new Date(ms)
    await runTask(service.services, 'forget_upload_sessions')
    return (await read(id)).status
  }
  expect(await forgetAt(end + 30 * DAY_MS)).toBe(410)
  expect(await forgetAt(end + 30 * DAY_MS + 1)).toBe(404)
  service.clock.now = null
  expect(await db.track.count({ where: { uploadSessionId: id } })).toBe(1)
  await createTrack(service, { collection_id: collectionId })
})
