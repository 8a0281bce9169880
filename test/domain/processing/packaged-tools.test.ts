import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import ffmpeg from '@ffmpeg-installer/ffmpeg'
import ffprobe from '@ffprobe-installer/ffprobe'
import { insertVariant, resolveProps } from '../../../src/domain/variant/service.ts'
import { makeMedia } from '../../support/audio.ts'
import { streamsOf } from '../../support/image.ts'
import { decodePicture } from '../../support/picture.ts'
import { heardSeconds, measureFile, processed } from '../../support/processed.ts'
import { startTestService, type TestService } from '../../support/service.ts'

// The build of 2018 that the npm package carries is what runs where the machine has none.
let service: TestService
beforeAll(async () => {
  for (const { path } of [ffmpeg, ffprobe]) chmodSync(path, 0o755)
  service = await startTestService({ FFMPEG: ffmpeg.path, FFPROBE: ffprobe.path })
  for (const [type, index, recipe] of [
    ['transcode', 'as_mp3', { codec: 'mp3' }],
    ['transcode', 'as_ogg', { codec: 'ogg' }],
    ['transcode', 'as_flac', { codec: 'flac' }],
    ['transcode', 'as_alac', { codec: 'alac', bit_depth: 16 }],
    ['transcode', 'as_wav', { codec: 'wav', bit_depth: 24, is_strip_tags: false }],
    ['waveform_image', 'picture', {}],
    ['waveform_video', 'film', { width: 320, height: 180 }],
  ] as const) {
    const props = resolveProps(type, recipe)
    const { organization_id: organizationId } = service.demo
    await insertVariant(service.services.db, { organizationId, trackId: null, type, index, props })
  }
}, 60_000)
afterAll(() => service.stop())

const picture = ['-f', 'lavfi', '-i', 'color=c=red:s=700x700:d=1:r=1']
const maps = [
  '-map',
  '0:a',
  '-map',
  '1:v',
  '-frames:v',
  '1',
  '-c:v',
  'mjpeg',
  '-disposition:v',
  'attached_pic',
  '-ac',
  '2',
]

test.each([
  ['mp3', [...picture, ...maps, '-c:a', 'libmp3lame']],
  ['flac', ['-ar', '96000', '-c:a', 'flac', '-sample_fmt', 's32']],
])(
  'the packaged programs make all files of a %s',
  async (extension, args) => {
    const sound = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=2:r=44100', ...args], extension)
    const { track, files } = await processed(service, sound, `a.${extension}`)
    expect(track.track_status_id).toBe('ready')
    expect(Math.abs(track.duration - 2)).toBeLessThan(0.05)
    for (const [index, codec, seconds] of [
      ['hq', 'aac', 2],
      ['lq', 'opus', 2],
      ['as_mp3', 'mp3', 2],
      ['as_ogg', 'vorbis', 2],
      ['as_flac', 'flac', 2],
      ['as_alac', 'alac', 2],
      ['as_wav', 'pcm_s24le', 2],
      ['preview', 'mp3', 1],
      ['film', 'aac', 2],
    ] as const) {
      const figures = await measureFile(service, files[index])
      expect([index, figures.codec, figures.channels]).toEqual([index, codec, extension === 'mp3' ? 2 : 1])
      const playedSeconds = codec === 'mp3' ? await heardSeconds(service, files[index]) : figures.durationSeconds
      expect(Math.abs(playedSeconds - seconds), `${extension} ${index}: ${playedSeconds} s`).toBeLessThan(0.05)
    }
    expect(files.waveform.data.levels).toHaveLength(320)
    expect(files.picture.is_success).toBe(true)
    const film = await (await service.fetchEdge(files.film.url)).arrayBuffer()
    const streams = await streamsOf(film)
    expect(streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac'])
    for (const { duration } of streams) expect(Math.abs(Number(duration) - 2)).toBeLessThan(0.05)
    // The playhead moves here too: a bar in the middle is dim at first and bright at last.
    const lightness = async (seconds: number) => {
      const { at } = await decodePicture(film, 320, seconds)
      return Math.max(...[0, 1, 2, 3, 4, 5].map((x) => at(157 + x, 90)[2] ?? 0))
    }
    expect((await lightness(1.9)) - (await lightness(0))).toBeGreaterThan(80)
    if (extension === 'mp3') expect(files.cover.data.regular).toMatchObject({ width: 500, height: 500 })
  },
  60_000,
)

test.each([
  ['a playlist', '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/hostname\n#EXT-X-ENDLIST\n'],
  ['a list of files to join', 'ffconcat version 1.0\nfile a.wav\n'],
  ['a text', 'a text'],
])(
  'the packaged programs reject %s as not audio',
  async (_, text) => {
    const { track } = await processed(service, new Uint8Array(Buffer.from(text)), 'a.mp3')
    expect([track.track_status_id, track.status_code]).toEqual(['init_error', 'not_audio'])
  },
  30_000,
)
