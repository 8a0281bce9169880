import { expect, test } from 'bun:test'
import { safeFileName } from '../../../src/domain/delivery/name.ts'
import { parseSiblingPath } from '../../../src/domain/delivery/siblings.ts'

test.each([
  ['Ein Lied für Åsa.wav', 'Ein-Lied-fur-Asa.wav'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\music\\song.mp3', 'song.mp3'],
  ['.wav', 'track.wav'],
  ['...', 'track'],
  ['---', 'track'],
  ['', 'track'],
  ['歌', 'track'],
  ['日本語の歌.wav', 'track.wav'],
  ['Folge 12. Der Anfang', 'Folge-12.-Der-Anfang'],
  [`${'a'.repeat(200)}.mp3`, `${'a'.repeat(124)}.mp3`],
  [`a.-${'b'.repeat(124)}.mp3`, `${'b'.repeat(124)}.mp3`],
  [`a.${'b'.repeat(123)}.mp3`, `${'b'.repeat(123)}.mp3`],
])('%j is stored as %j', (name, safe) => {
  expect(safeFileName(name)).toBe(safe)
})

test.each([
  ['a/b/x_cover.icon.jpg', 'icon.jpg'],
  ['a/b/x_cover.webp', 'webp'],
  ['a/b/x_waveform.dat', 'dat'],
  ['a/b/x_waveform.peaks.json', 'peaks.json'],
  ['a/b/x_hls.64.m4a', '64.m4a'],
])('%s is the path of a sibling file', (path, suffix) => {
  expect(parseSiblingPath(path)).toEqual({ path, stem: path.slice(0, -suffix.length - 1), suffix })
})

test.each(['a/b/x_hq.m4a', 'a/b/x_cover.jpg', 'a/b/x_waveform.json', 'a/b/x_film.mp4', 'a/b/x', '', 'x.', 'x.64.'])(
  '%j is not the path of a sibling file',
  (path) => {
    expect(parseSiblingPath(path)).toBeNull()
  },
)
