import { beforeAll, expect, test } from 'bun:test'
import { tone } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  sound = await tone(1)
  // Only the original is made: every other file costs an encoder.
  await service.services.db.variant.updateMany({
    where: { type: { not: 'original' } },
    data: { deletedAt: new Date() },
  })
})

// Contract, section 3: content types of originals cover what recorders produce.
test.each([
  ['voice.webm', 'webm', 'audio/webm'],
  ['voice.weba', 'weba', 'audio/webm'],
  ['voice.mka', 'mka', 'audio/x-matroska'],
  ['voice.mov', 'mov', 'video/quicktime'],
  ['voice.3gp', '3gp', 'audio/3gpp'],
  ['voice.amr', 'amr', 'audio/amr'],
  ['voice.CAF', 'caf', 'audio/x-caf'],
  ['voice.html', 'bin', 'application/octet-stream'],
])('delivers the original of %s with the extension %s and the type %s', async (name, extension, type) => {
  const { files } = await processed(service, sound, name)
  expect(files.original).toMatchObject({ is_success: true, content_type: type, file_name: name })
  expect(files.original.path).toEndWith(`_original.${extension}`)
  const answer = await service.fetchEdge(files.original.url)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
  expect(answer.headers.get('content-disposition')).toBe(`inline; filename="${name}"`)
})
