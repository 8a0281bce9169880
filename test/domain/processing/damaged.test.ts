// Recordings with a damaged part between undamaged ones.
import { beforeAll, describe, expect, test } from 'bun:test'
import { data } from '../../support/administrators.ts'
import { makeMedia } from '../../support/audio.ts'
import { processed, readTrack } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'
import { isOldFfmpeg, soundTools } from '../../support/tools.ts'

const service = useTestService(undefined, soundTools)
beforeAll(async () => {
  const { db } = service.services
  await db.variant.updateMany({ where: { index: { not: 'hq' } }, data: { deletedAt: new Date() } })
}, 60_000)

const SECONDS = 4
const noise = [
  ...['-f', 'lavfi', '-i', `anoisesrc=color=pink:sample_rate=48000:duration=${SECONDS}:amplitude=0.4:seed=1`],
  ...['-ac', '1'],
]
const makeSound = async (extension: string, args: readonly string[]) =>
  Buffer.from(await makeMedia([...noise, ...args], extension))

/** Overwrites bytes after a half of the file. */
function damaged(bytes: Buffer, length: number): Buffer {
  const copy = Buffer.from(bytes)
  for (let i = 0; i < length; i++) copy.writeUInt8((i * 151 + 7) % 256, Math.floor(copy.length / 2) + i)
  return copy
}
const upload = (bytes: Buffer, name: string) => processed(service, new Uint8Array(bytes), name)

describe('a damaged part is a note with its time', () => {
  async function expectNote({ name, args, bytes }: { name: string; args: readonly string[]; bytes: number }) {
    const { track, files } = await upload(damaged(await makeSound(name.split('.').at(-1) ?? '', args), bytes), name)
    expect([track.track_status_id, track.status_code]).toEqual(['ready', 'damaged'])
    const at = track.analysis.damaged_at_seconds
    expect(at).toBeWithin(SECONDS / 2 - 0.6, SECONDS / 2 + 0.3)
    expect(track.status_text).toContain(`damaged ${at.toFixed(1)} seconds after the start`)
    expect(files.hq.is_success).toBe(true)
  }

  test.each([
    { name: 'a.flac', args: [], bytes: 2000 },
    { name: 'bit.flac', args: [], bytes: 1 },
    { name: 'a.mp3', args: ['-b:a', '128k'], bytes: 2000 },
    { name: 'a.m4a', args: ['-c:a', 'aac'], bytes: 2000 },
    { name: 'a.mka', args: ['-c:a', 'flac'], bytes: 2000 },
  ])('$name, $bytes bytes', expectNote, 30_000)

  // The build of 2018 reads over pages of Ogg whose checksum is wrong, without a message.
  test.skipIf(isOldFfmpeg).each([
    { name: 'a.ogg', args: ['-c:a', 'libvorbis', '-page_duration', '200000'], bytes: 2000 },
    { name: 'a.opus', args: ['-c:a', 'libopus', '-page_duration', '200000'], bytes: 2000 },
  ])('$name, $bytes bytes', expectNote, 30_000)
})

test('a whole recording, and two that were joined, have no note', async () => {
  const [first, second] = await Promise.all(
    ['a', 'b'].map((title) => makeSound('mp3', ['-metadata', `title=${title}`])),
  )
  if (!first || !second) throw new Error('no sound')
  for (const bytes of [first, Buffer.concat([first, second])]) {
    const { track } = await upload(bytes, 'a.mp3')
    expect(track).toMatchObject({ track_status_id: 'ready', status_code: null })
    expect(track.analysis.damaged_at_seconds).toBeNull()
  }
}, 30_000)

const pause = ['-af', 'aselect=lt(t\\,1)+gt(t\\,1.2)']
test.each([
  ['webm', ['-c:a', 'libopus']],
  ['mka', ['-c:a', 'pcm_s16le']],
  ['mp4', ['-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', '-frag_duration', '500000']],
] as const)(
  'a pause in a %s is no damage, and the lost end of that file is named',
  async (extension, args) => {
    const bytes = await makeSound(extension, [...pause, ...args])
    const { track } = await upload(bytes.subarray(0, Math.floor(bytes.length * 0.97)), `a.${extension}`)
    expect(track).toMatchObject({ track_status_id: 'ready', status_code: 'truncated' })
    expect(track.analysis.damaged_at_seconds).toBeNull()
  },
  30_000,
)

test('the note remains when another file is made, and GraphQL shows the time', async () => {
  const { id, track } = await upload(damaged(await makeSound('flac', []), 2000), 'a.flac')
  const body = { variant_type_id: 'transcode', index: 'later', codec: 'mp3' }
  expect((await service.v1('POST', `/track/${id}/variant`, { body })).status).toBe(200)
  await service.runJobs()
  expect((await readTrack(service, id)).track).toMatchObject({ track_status_id: 'ready', status_code: 'damaged' })
  const query = 'query ($id: ID!) { track(id: $id) { analysis { damagedAtSeconds } } }'
  const view = await data(service, query, { id }, service.demo.api_key)
  expect(view.track.analysis.damagedAtSeconds).toBe(track.analysis.damaged_at_seconds)
}, 30_000)
