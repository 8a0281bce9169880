import { expect, test } from 'bun:test'
import { acquireLease } from '../../../src/domain/upload/resumable/lease.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
const later = () => new Date(Date.now() + 60_000)

async function newTrack(): Promise<string> {
  const body = { collection_id: service.demo.collection_id, file_name: 'song.wav' }
  return (await service.v1('POST', '/track', { body })).json.track_id
}

test('an upload that has begun since its request was checked is in use', async () => {
  const id = await newTrack()
  const lease = await acquireLease(service.services, id, later())
  await expect(acquireLease(service.services, id, later())).rejects.toMatchObject({ code: 'upload_in_use' })
  await lease.release()
  await (await acquireLease(service.services, id, later())).release()
})

test.each([
  ['completed', 'upload_completed', { uploadCompletedAt: new Date(), sourceKey: 'source/1', sourceBytes: 1 }],
  ['given up', 'expired', { status: 'init_error', statusCode: 'upload_expired', statusText: 'Not uploaded in time.' }],
] as const)('an upload that was %s since its request was checked is not created again', async (_, code, data) => {
  const { db } = service.services
  const id = await newTrack()
  await db.track.update({ where: { id }, data })
  await expect(acquireLease(service.services, id, later())).rejects.toMatchObject({ code })
  expect(await db.resumableUpload.count({ where: { trackId: id } })).toBe(0)
})
