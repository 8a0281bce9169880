import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { noVariants } from '../../../src/domain/processing/outcome.ts'
import { tone } from '../../support/audio.ts'
import { eventsOf, processed, readTrack } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  sound = await tone(1)
})

const removeVariants = () => service.services.db.variant.updateMany({ data: { deletedAt: new Date() } })

test('makes a track without variants ready with the reason no_variants, until it gets a variant of its own', async () => {
  await removeVariants()
  const { id, track, files } = await processed(service, sound, 'a.wav')
  expect(files).toEqual({})
  expect(track).toMatchObject({
    track_status_id: 'ready',
    status_code: 'no_variants',
    status_text: expect.stringMatching(/^No file was made: .* Create a variant/),
  })
  const events = await eventsOf(service, id)
  expect(events.at(-1)?.data).toMatchObject({ status: 'ready', track: { status_code: 'no_variants' } })

  await service.v1('POST', `/track/${id}/rebuild`)
  await service.runJobs()
  expect((await readTrack(service, id)).track).toMatchObject({ track_status_id: 'ready', status_code: 'no_variants' })

  const body = { variant_type_id: 'transcode', index: 'own', codec: 'mp3' }
  expect((await service.v1('POST', `/track/${id}/variant`, { body })).status).toBe(200)
  await service.runJobs()
  const after = await readTrack(service, id)
  expect(Object.keys(after.files)).toEqual(['own'])
  expect(after.track).toMatchObject({ track_status_id: 'ready', status_code: null, status_text: null })
})

test('the reason is in the guide of status codes', async () => {
  const guide = await Bun.file(join(import.meta.dir, '../../../src/web/docs/guides/status-codes.md')).text()
  expect(guide).toContain(`| \`${noVariants.statusCode}\` |`)
})
