// Tags, chapters and covers of the files that keep them, and of those that do not. Read by ffprobe, and by mutagen and
// exiftool where they are installed.
import { describe, expect, test } from 'bun:test'
import { probe, run, withFile } from './decode.ts'
import { type TaggedRecording, taggedRecordings, taggedTable } from './tagged.ts'
import { useUploads } from './uploads.ts'

const uploaded = useUploads(taggedTable)
const keptIndexes = taggedTable.variants.filter((index) => index.startsWith('kept_'))

const chaptersOf = ({ chapters = [] }: TaggedRecording) =>
  chapters.map(([title, startSeconds]) => ({ title, startSeconds }))

describe('is read', () => {
  test.concurrent.each(taggedRecordings)('$name', async (row) => {
    const { track, chapters, files } = uploaded(row)
    expect(track).toMatchObject({ track_status_id: 'ready', status_code: null })
    for (const name of ['title', 'artist', 'album', 'genre'] as const) {
      expect([name, track.info.tags[name]]).toEqual([name, row.tags[name]?.join('; ')])
    }
    expect(chapters).toEqual(chaptersOf(row))
    expect('cover' in files).toBe(row.hasCover === true)
  })
})

/** Values of a tag with several as ffprobe shows them: all of them in Vorbis comments, elsewhere the first. */
const shownOf = (index: string, values: readonly string[]) =>
  /kept_(ogg|opus|flac)/.test(index) ? values.join(';') : values[0]

/** ffprobe has no name for the tempo in MP4 files, and the name of the frame in MP3. */
const isShown = (index: string, name: string) => !(name === 'bpm' && /kept_(aac|mp3)/.test(index))
const LYRICS = /^lyrics(-eng)?$/

describe.each(keptIndexes)('%s has tags, chapters and cover', (index) => {
  test.concurrent.each(taggedRecordings)('$name', async (row) => {
    const { tags, chapters, hasPicture } = await probe(uploaded(row).file(index))
    for (const [name, values] of Object.entries(row.tags)) {
      if (!isShown(index, name)) continue
      const value = name === 'lyrics' ? Object.entries(tags).find(([key]) => LYRICS.test(key))?.[1] : tags[name]
      expect([name, value]).toEqual([name, shownOf(index, values)])
    }
    expect(chapters).toEqual(chaptersOf(row))
    expect(hasPicture).toBe(row.hasCover === true)
  })
})

describe.each(['aac', 'mp3'])('%s has none of them', (index) => {
  test.concurrent.each(taggedRecordings)('$name', async (row) => {
    const bytes = uploaded(row).file(index)
    const { tags, chapters, hasPicture } = await probe(bytes)
    expect([chapters, hasPicture]).toEqual([[], false])
    const ours = Object.values(row.tags).flat()
    expect(Object.values(tags).filter((value) => ours.some((one) => value.includes(one)))).toEqual([])
    // Shorter ones are in any sound by chance.
    const long = ours.filter((text) => text.length > 4)
    for (const text of long) expect(Buffer.from(bytes).includes(text), text).toBe(false)
  })
})

/** Lines of mutagen-inspect for the values of a tag. */
const mutagenNames: Record<string, Record<string, string>> = {
  kept_aac: { title: '©nam', artist: '©ART', album: '©alb', genre: '©gen', bpm: 'tmpo', lyrics: '©lyr' },
  kept_mp3: { title: 'TIT2', artist: 'TPE1', album: 'TALB', genre: 'TCON', bpm: 'TBPM' },
}

describe.skipIf(!Bun.which('mutagen-inspect')).each(keptIndexes)('%s has every value, as mutagen reads it', (index) => {
  test.concurrent.each(taggedRecordings)('$name', async (row) => {
    const names = mutagenNames[index]
    const { stdout } = await withFile(uploaded(row).file(index), 'sound', (file) => run(['mutagen-inspect', file]))
    const report = Buffer.from(stdout).toString()
    for (const [name, values] of Object.entries(row.tags)) {
      // Their lines are not separated from others.
      if (name === 'lyrics') continue
      const key = names ? names[name] : name
      const lines = index === 'kept_mp3' ? [`${key}=${values.join(' / ')}`] : values.map((value) => `${key}=${value}`)
      expect(report.split('\n')).toEqual(expect.arrayContaining(lines))
    }
  })
})

const pictured = taggedRecordings.filter(({ hasCover }) => hasCover)

/** Tags of a picture that say where or by whom it was taken. */
const PRIVATE = /^(GPS|ExifByteOrder|XMP|IPTC|Artist|Comment|Orientation)/m

describe.skipIf(!Bun.which('exiftool'))('a cover has no metadata, as exiftool reads it', () => {
  test.concurrent.each(pictured)('$name', async (row) => {
    const { bytes, file } = uploaded(row)
    const read = async (picture: Uint8Array) => {
      const { stdout } = await withFile(picture, 'picture', (path) => run(['exiftool', '-s', path]))
      return Buffer.from(stdout).toString()
    }
    // exiftool finds it in the recording: the expectation below can fail.
    if (row.name === 'position.mp3') {
      const { stdout } = await withFile(bytes, row.name, (path) => run(['exiftool', '-b', '-Picture', path]))
      expect(await read(stdout)).toMatch(/^GPS/m)
    }
    for (const index of ['kept_mp3', 'kept_aac']) {
      const name = index === 'kept_mp3' ? '-Picture' : '-CoverArt'
      const { stdout } = await withFile(file(index), index, (path) => run(['exiftool', '-b', name, path]))
      const report = await read(stdout)
      expect(report).toMatch(/FileType +: JPEG/)
      expect(report).toMatch(/ImageWidth +: 320/)
      expect(report).not.toMatch(PRIVATE)
    }
    expect(await read(file('cover'))).not.toMatch(PRIVATE)
  })
})
