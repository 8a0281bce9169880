import { beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { createForeign } from '../../spec/support.ts'
import { data, signIn } from '../../support/administrators.ts'
import { makeMedia, tone } from '../../support/audio.ts'
import { measureFile, processed, readTrack } from '../../support/processed.ts'
import { rebuildAs } from '../../support/rebuild.ts'
import { type Json, uploadTrack, useTestService } from '../../support/service.ts'
import { variantId, variantsAs } from '../../support/variants.ts'

const service = useTestService()
let variants: ReturnType<typeof variantsAs>
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  variants = variantsAs(service, (await signIn(service)).token)
  sound = await tone(1)
}, 60_000)

const FILES = `query ($id: ID!) { track(id: $id) { sourceSha256
  files { state statusCode statusText ffmpegVersion sourceSha256 variant { index variantTypeId } } } }`
const read = async (id: string): Promise<Json> => (await data(service, FILES, { id }, service.demo.api_key)).track

describe('the ffmpeg version and the recording of a file', () => {
  test('are shown for every type of variant', async () => {
    const size = { width: 128, height: 128 }
    await variants.create({ variantTypeId: 'WAVEFORM_IMAGE', index: 'image', ...size })
    await variants.create({ variantTypeId: 'WAVEFORM_VIDEO', index: 'video', ...size, fps: 1 })
    const red = ['-f', 'lavfi', '-i', 'color=c=red:s=64x64:d=1:r=1', '-map', '0:a', '-map', '1:v', '-frames:v', '1']
    const cover = [...red, '-c:v', 'mjpeg', '-disposition:v', 'attached_pic']
    const bytes = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=1', ...cover], 'mp3')
    const { id } = await processed(service, bytes, 'a.mp3')
    // The first line of the program's own output.
    const output = Bun.spawnSync([service.services.tools.ffmpeg, '-version']).stdout.toString()
    const [, version] = /^ffmpeg version (\S+)/.exec(output) ?? []
    expect(version).toBeString()
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const { files, sourceSha256 } = await read(id)
    expect(sourceSha256).toBe(sha256)
    expect(files.map(({ variant }: Json) => variant.variantTypeId).sort()).toEqual(
      ['COVER', 'LEVELS', 'ORIGINAL', 'PREVIEW', 'TRANSCODE', 'TRANSCODE', 'WAVEFORM_IMAGE', 'WAVEFORM_VIDEO'].sort(),
    )
    for (const file of files) {
      expect(file).toMatchObject({ state: 'DONE', ffmpegVersion: version, sourceSha256: sha256 })
    }
    for (const index of ['image', 'video']) await variants.remove(await variantId(service, index))
  }, 60_000)

  test('are shown for an uploaded cover', async () => {
    const { id } = await processed(service, sound, 'a.wav')
    const { json } = await service.v1('POST', `/track/${id}/cover`)
    const body = await makeMedia(['-f', 'lavfi', '-i', 'color=c=blue:s=64x64', '-frames:v', '1'], 'png')
    const { upload_url: address, method } = json.track_cover_upload
    expect((await service.fetchEdge(address, { method, body })).status).toBe(200)
    await service.runJobs()
    const { files, sourceSha256 } = await read(id)
    const cover = files.find(({ variant }: Json) => variant.index === 'cover')
    expect(cover).toMatchObject({ ffmpegVersion: service.services.tools.version, sourceSha256 })
  }, 30_000)

  test('are shown for a recording that was uploaded into a bucket, without a hash', async () => {
    const id = await uploadTrack(service, sound)
    await service.services.db.track.update({ where: { id }, data: { sourceSha256: null } })
    await service.runJobs()
    const sha256 = createHash('sha256').update(sound).digest('hex')
    const { files } = await read(id)
    expect(files).not.toBeEmpty()
    for (const file of files) expect(file.sourceSha256).toBe(sha256)
  }, 30_000)
})

describe('a finished file that differs from the parameters of its variant', () => {
  test('has a status code and text until it matches', async () => {
    const wish = { codec: 'ogg', bitrate: 320, isStereo: false }
    const { variant } = await variants.create({ variantTypeId: 'TRANSCODE', index: 'mono', ...wish })
    const { id, files } = await processed(service, sound, 'a.wav')
    expect(files.mono).toMatchObject({
      is_success: true,
      status_text: expect.stringMatching(/240 kbps instead of 320/),
    })
    expect((await measureFile(service, files.mono)).codec).toBe('vorbis')
    const noteOf = async () => (await read(id)).files.find((file: Json) => file.variant.index === 'mono')
    expect(await noteOf()).toMatchObject({ state: 'DONE', statusCode: 'bitrate_clamped' })
    await variants.update(variant.id, { bitrate: 96 })
    await rebuildAs(service).rebuild(id, { isOnlyStale: true })
    await service.runJobs()
    expect(await noteOf()).toMatchObject({ state: 'DONE', statusCode: null, statusText: null })
    expect((await readTrack(service, id)).files.hq.status_text).toBeNull()
    await variants.remove(variant.id)
  }, 30_000)
})

describe('tracks by the size of their recording', () => {
  const LIST = `query ($sizes: [Float!]) { tracks(filter: { sourceBytes: $sizes }) { totalCount nodes { id sourceSha256 } } }`
  const list = async (sizes: number[], key = service.demo.api_key): Promise<Json> =>
    (await data(service, LIST, { sizes }, key)).tracks
  const upload = (bytes: string) => uploadTrack(service, new TextEncoder().encode(bytes))

  test('have any of the sizes, with the hash that says which recording it is', async () => {
    const ids = [
      await upload('nineteen bytes long'),
      await upload('nineteen other ones'),
      await upload('twenty bytes of text'),
    ]
    const { nodes, totalCount } = await list([19, 20])
    expect(totalCount).toBe(3)
    expect(nodes.map(({ id }: Json) => id).sort()).toEqual(ids.toSorted())
    const sha256 = createHash('sha256').update('nineteen bytes long').digest('hex')
    // The hash of bytes in a bucket is known when a job has read them.
    await service.runJobs()
    expect((await list([19])).nodes.map(({ sourceSha256 }: Json) => sourceSha256)).toContain(sha256)
    expect((await list([21, 8_000_000_000])).nodes).toEqual([])
    expect((await list([])).nodes).toEqual([])
  })

  test('are those of the own organization', async () => {
    const id = await upload('a size of 24 characters.')
    expect((await list([24])).nodes).toMatchObject([{ id }])
    const { key } = await createForeign(service)
    expect((await list([24], key)).nodes).toEqual([])
  })

  test('are found for at most 100 sizes', async () => {
    const sizes = Array.from({ length: 101 }, (_, at) => at)
    expect((await list(sizes.slice(1))).nodes.length).toBeGreaterThan(0)
    await expect(list(sizes)).rejects.toThrow('sourceBytes')
  })
})
