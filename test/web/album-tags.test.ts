// The suggested name of an album comes from the tags of its files, which a program of others wrote.
import { expect, test } from 'bun:test'
import { readAlbum } from '../../src/web/studio/upload/album-tags.ts'
import { makeMedia } from '../support/audio.ts'

const source = ['-f', 'lavfi', '-i', 'sine=duration=0.1']
async function chosen(name: string, tags: Record<string, string>) {
  const metadata = Object.entries(tags).flatMap(([key, value]) => ['-metadata', `${key}=${value}`])
  const bytes = await makeMedia([...source, ...metadata], name.split('.').at(-1) ?? '')
  return { name, file: new File([bytes], name) }
}

test.each(['mp3', 'flac', 'm4a', 'ogg', 'opus'])('%s files of one album', async (extension) => {
  const tags = { album: 'Night Bakery', album_artist: 'Ada Lund', artist: 'Ada Lund & Guests' }
  const files = await Promise.all(['one', 'two'].map((name) => chosen(`Folder/${name}.${extension}`, tags)))
  expect(await readAlbum(files)).toEqual({ title: 'Night Bakery', artist: 'Ada Lund' })
})

test('the UTF-8 of a WAV file is that of other files', async () => {
  const tags = { album: 'Brot & Öfen', artist: 'Marta Vögel' }
  const files = await Promise.all(['one.wav', 'two.flac'].map((name) => chosen(name, tags)))
  expect(await readAlbum(files)).toEqual({ title: 'Brot & Öfen', artist: 'Marta Vögel' })
})

test('a compilation has no artist', async () => {
  const files = await Promise.all(['Ada', 'Bob'].map((artist) => chosen(`${artist}.mp3`, { album: 'Both', artist })))
  expect(await readAlbum(files)).toEqual({ title: 'Both', artist: '' })
})

test('the folder is used for other albums, for files without tags or sound, and after the time for reading', async () => {
  const [one, other, untagged] = await Promise.all([
    chosen('Ada - Walks/one.mp3', { album: 'One' }),
    chosen('Ada - Walks/other.mp3', { album: 'Other' }),
    chosen('Ada - Walks/untagged.mp3', {}),
  ])
  const unreadable = { name: 'Ada - Walks/empty.mp3', file: new File(['no sound'], 'empty.mp3') }
  const folder = { title: 'Walks', artist: 'Ada' }
  for (const files of [
    [one, other],
    [one, untagged],
    [one, unreadable],
  ])
    expect(await readAlbum(files)).toEqual(folder)
  const never = new Promise<never>(() => {})
  const lost = Object.assign(new File(['ID3'], 'lost.mp3'), { slice: () => ({ arrayBuffer: () => never }) })
  expect(await readAlbum([{ name: 'Ada - Walks/lost.mp3', file: lost }], 1)).toEqual(folder)
  expect(await readAlbum([one])).toEqual({ title: 'One', artist: '' })
})
