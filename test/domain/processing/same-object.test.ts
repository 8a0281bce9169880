// Several files of one run that are made from the same stored object.
import { expect, test } from 'bun:test'
import { signIn } from '../../support/administrators.ts'
import { makeMedia, tone } from '../../support/audio.ts'
import { readTrack } from '../../support/processed.ts'
import { rebuildAs } from '../../support/rebuild.ts'
import { useTestService } from '../../support/service.ts'
import { variantsAs } from '../../support/variants.ts'

const service = useTestService()

test('a rebuild makes two covers from one picture, and two waveforms from one delivered transcode', async () => {
  const variants = variantsAs(service, (await signIn(service)).token)
  await variants.create({ variantTypeId: 'COVER', index: 'second-cover' })
  await variants.create({ variantTypeId: 'LEVELS', index: 'close-up', samplesPerPixel: 64 })
  const body = { collection_id: service.demo.collection_id, file_name: 'a.wav' }
  const { track_id: id, track_upload, track_cover_upload } = (await service.v1('POST', '/track', { body })).json
  const picture = await makeMedia(['-f', 'lavfi', '-i', 'color=c=blue:s=300x300', '-frames:v', '1'], 'png')
  const uploads = [
    [track_cover_upload, picture],
    [track_upload, await tone(1)],
  ] as const
  for (const [{ method, upload_url }, bytes] of uploads) {
    expect((await service.fetchEdge(upload_url, { method, body: bytes })).status).toBe(200)
  }
  await service.runJobs()
  const indexes = ['cover', 'second-cover', 'waveform', 'close-up']
  const { files: before } = await readTrack(service, id)
  expect(indexes.map((index) => before[index]?.is_success)).toEqual([true, true, true, true])

  const variantIds = indexes.map((index) => before[index].variant.id)
  const { jobId } = await rebuildAs(service).rebuild(id, { variantIds })
  await service.runJobs()
  const { track, files } = await readTrack(service, id)
  expect(track.track_status_id).toBe('ready')
  expect(indexes.map((index) => files[index]?.is_success)).toEqual([true, true, true, true])
  const job = await service.services.db.job.findUniqueOrThrow({ where: { id: jobId } })
  expect(job).toMatchObject({ state: 'done', attempts: 1 })
})
