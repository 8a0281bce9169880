import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseFile } from 'music-metadata'
import { makeMedia } from '../../support/audio.ts'
import { formats, probeTags, taggedFile } from '../../support/tagged.ts'

let folder: string
let jpeg: string
let png: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-tags-'))
  const picture = (size: string) => ['-f', 'lavfi', '-i', `testsrc=size=${size}`, '-frames:v', '1']
  jpeg = join(folder, 'cover.jpg')
  png = join(folder, 'cover.png')
  await Bun.write(jpeg, await makeMedia(picture('320x200'), 'jpg'))
  await Bun.write(png, await makeMedia([...picture('120x90'), '-pix_fmt', 'rgba'], 'png'))
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

const source = {
  title: 'Ænima 🎵 こんにちは',
  artist: 'One\nTwo',
  album: 'x'.repeat(1000),
  album_artist: 'Various',
  composer: 'Somebody',
  genre: 'Drum & Bass',
  date: '2024-05-06',
  track: '3/12',
  disc: '1/2',
  comment: 'A comment',
  copyright: '℗ 2024',
  mycustom: 'kept',
}

describe.each([...formats])('%s', (format) => {
  test('ffprobe shows the same tags for the source and the result', async () => {
    expect(probeTags(await taggedFile(folder, format, { tags: source })).tags).toEqual(source)
  })

  test('a player reads every field in its standard place', async () => {
    const tags = {
      ...source,
      tsrc: 'USABC1234567',
      'lyrics-eng': 'First line\nSecond line',
      tbpm: '120',
      compilation: '1',
      label: 'A Label',
      'title-sort': 'aenima',
      'musicbrainz album id': '0f2e6c53-8a57-4d0e-8e3c-0c1f8f1f2a11',
    }
    const file = await taggedFile(folder, format, { tags })
    const { common, quality } = await parseFile(file)
    expect(common).toMatchObject({
      title: source.title,
      artist: source.artist,
      album: source.album,
      albumartist: 'Various',
      composer: ['Somebody'],
      genre: ['Drum & Bass'],
      date: '2024-05-06',
      track: { no: 3, of: 12 },
      disk: { no: 1, of: 2 },
      comment: [{ text: 'A comment' }],
      copyright: '℗ 2024',
      isrc: ['USABC1234567'],
      lyrics: [{ text: 'First line\nSecond line' }],
      bpm: 120,
      compilation: true,
      label: ['A Label'],
      titlesort: 'aenima',
      musicbrainz_albumid: '0f2e6c53-8a57-4d0e-8e3c-0c1f8f1f2a11',
    })
    // It counts every chunk of a WAV twice.
    const isWrong = ({ message }: { message: string }) => format === 'wav' && /JUNK|exceeds file size/.test(message)
    expect(quality.warnings.filter((warning) => !isWrong(warning))).toEqual([])
  })

  const content = { tags: { title: 'Kept' }, cover: () => ({ file: jpeg, type: 'image/jpeg' as const }) }
  test.each([
    { tags: null, cover: false },
    { tags: null, cover: true },
    { tags: content.tags, cover: false },
    { tags: content.tags, cover: true },
  ])('tags and cover are kept or stripped independently: %p', async ({ tags, cover }) => {
    const gain = { integratedLufs: -20, truePeakDbtp: -1 }
    const file = await taggedFile(folder, format, { tags, cover: cover ? content.cover() : null, gain })
    const shownTags = probeTags(file)
    expect(Object.keys(shownTags.tags).filter((key) => !/^(replaygain|r128)_/.test(key))).toEqual(tags ? ['title'] : [])
    expect(shownTags.picture !== null).toBe(cover)
    if (tags === null) expect(shownTags.tags).toEqual({})
  })

  test.each([
    { name: 'a JPEG', picture: () => jpeg, type: 'image/jpeg' as const, codec: 'mjpeg', width: 320, height: 200 },
    { name: 'a PNG', picture: () => png, type: 'image/png' as const, codec: 'png', width: 120, height: 90 },
  ])('$name is the front cover, byte for byte', async ({ picture, type, codec, width, height }) => {
    const file = await taggedFile(folder, format, { tags: { title: 'x' }, cover: { file: picture(), type } })
    expect(probeTags(file).picture).toMatchObject({ codec_name: codec, width, height })
    const pictures = (await parseFile(file)).common.picture ?? []
    expect(pictures).toHaveLength(1)
    expect(pictures[0]).toMatchObject({
      format: type,
      ...(format === 'aac' || format === 'alac' ? {} : { type: 'Cover (front)' }),
    })
    expect(Buffer.from(pictures[0]?.data ?? [])).toEqual(Buffer.from(await Bun.file(picture()).arrayBuffer()))
  })

  test('the gain replaces that of the source', async () => {
    const stale = { replaygain_track_gain: '-9 dB', replaygain_album_peak: '1', r128_track_gain: '5', itunnorm: '0' }
    const gain = { integratedLufs: -14.5, truePeakDbtp: -6.0206 }
    const { tags } = probeTags(await taggedFile(folder, format, { tags: { title: 'x', ...stale }, gain }))
    // Opus: (-23 + 14.5) dB in 256ths; elsewhere against -18 LUFS, and the peak as a share of full scale.
    const expected: Record<string, string> =
      format === 'opus'
        ? { r128_track_gain: '-2176' }
        : { replaygain_track_gain: '-3.50 dB', replaygain_track_peak: '0.500000' }
    expect(tags).toEqual({ title: 'x', ...expected })
  })

  test('silence has no gain, and an unmeasured peak is left out', async () => {
    const silence = { integratedLufs: Number.NEGATIVE_INFINITY, truePeakDbtp: null }
    expect(probeTags(await taggedFile(folder, format, { tags: { title: 'x' }, gain: silence })).tags).toEqual({
      title: 'x',
    })
    const unmeasured = { integratedLufs: -18, truePeakDbtp: null }
    const { tags } = probeTags(await taggedFile(folder, format, { tags: { title: 'x' }, gain: unmeasured }))
    const gainName = format === 'opus' ? 'r128_track_gain' : 'replaygain_track_gain'
    expect(Object.keys(tags)).toEqual(['title', gainName])
  })

  test('hostile keys and values are harmless', async () => {
    const tags = {
      title: 'Still here',
      'a=b': 'equals',
      'c\u0001\u0000d': 'control',
      ключ: 'not ASCII',
      '': 'no key',
      empty: '',
      blank: ' \n ',
      ['k'.repeat(10_000)]: 'endless key',
      big: 'y'.repeat(100_000),
      track: '99999999/-1',
      disc: 'B',
      bpm: 'fast',
      nul: 'a\0b\u001bc',
      'lone surrogate': '\ud800',
      ...Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field${i}`, `value${i}`])),
    }
    const file = await taggedFile(folder, format, { tags })
    const shownTags = probeTags(file)
    const isAscii = format === 'ogg' || format === 'opus' || format === 'flac'
    const expected = {
      title: 'Still here',
      [isAscii ? 'a_b' : 'a=b']: 'equals',
      cd: 'control',
      [isAscii ? '____' : 'ключ']: 'not ASCII',
      big: 'y'.repeat(100_000),
      track: '99999999/-1',
      disc: 'B',
      nul: 'abc',
      field499: 'value499',
    }
    expect(shownTags.tags).toMatchObject(expected)
    for (const key of ['', 'empty', 'blank', 'k'.repeat(10_000)]) expect(shownTags.tags).not.toHaveProperty([key])
    expect((await parseFile(file)).common.title).toBe('Still here')
  })
})
