import { beforeAll, expect, test } from 'bun:test'
import { nameOriginal } from '../../../src/domain/processing/make/original.ts'
import { makeMedia } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
beforeAll(async () => {
  // Only the original is made: every other file costs an encoder.
  await service.services.db.variant.updateMany({
    where: { type: { not: 'original' } },
    data: { deletedAt: new Date() },
  })
})

const containers = { mp4: 'mov,mp4,m4a,3gp,3g2,mj2', matroska: 'matroska,webm' }

// Contract, section 3: content types of originals cover what recorders produce.
test.each([
  [containers.matroska, 'voice.webm', 'webm', 'audio/webm'],
  [containers.matroska, 'voice.weba', 'weba', 'audio/webm'],
  [containers.matroska, 'voice.mka', 'mka', 'audio/x-matroska'],
  [containers.mp4, 'voice.mov', 'mov', 'video/quicktime'],
  [containers.mp4, 'voice.3gp', '3gp', 'audio/3gpp'],
  [containers.mp4, 'voice.M4A', 'm4a', 'audio/mp4'],
  ['amr', 'voice.amr', 'amr', 'audio/amr'],
  ['caf', 'voice.CAF', 'caf', 'audio/x-caf'],
  ['ogg', 'voice.opus', 'opus', 'audio/ogg'],
])('the original of a %s named %s keeps its extension %s, as %s', (container, name, extension, contentType) => {
  expect(nameOriginal(container, name)).toEqual({ extension, contentType, fileName: name })
})

test.each([
  ['mp3', 'x.html', 'x.mp3', 'audio/mpeg'],
  ['mp3', 'x.svg', 'x.mp3', 'audio/mpeg'],
  ['mp3', 'x.mp3.exe', 'x.mp3.mp3', 'audio/mpeg'],
  ['mp3', 'x', 'x.mp3', 'audio/mpeg'],
  ['flac', 'x.mp3', 'x.flac', 'audio/flac'],
  [containers.mp4, 'x.mp3', 'x.m4a', 'audio/mp4'],
  [containers.matroska, 'x.html', 'x.mka', 'audio/x-matroska'],
  ['ape', 'x.html', 'x.bin', 'application/octet-stream'],
])('the original of a %s named %s is named %s', (container, name, fileName, contentType) => {
  expect(nameOriginal(container, name)).toMatchObject({ fileName, contentType })
})

test.each([
  ['mp3', 'voice.html', 'voice.mp3', 'audio/mpeg'],
  ['mp3', 'voice.exe', 'voice.mp3', 'audio/mpeg'],
  ['webm', 'voice.webm', 'voice.webm', 'audio/webm'],
  ['wav', 'voice.mp3', 'voice.wav', 'audio/wav'],
])('a %s named %s is delivered as %s with the type %s', async (container, name, fileName, type) => {
  const codec = container === 'webm' ? ['-c:a', 'libopus'] : []
  const sound = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=1:r=48000', ...codec], container)
  const { files } = await processed(service, sound, name)
  expect(files.original).toMatchObject({ is_success: true, content_type: type, file_name: fileName })
  expect(files.original?.path).toEndWith(`_original.${fileName.split('.').at(-1)}`)
  const answer = await service.fetchEdge(files.original?.url)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
  expect(answer.headers.get('content-disposition')).toBe(`inline; filename="${fileName}"`)
})
