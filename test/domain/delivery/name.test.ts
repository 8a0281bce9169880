import { expect, test } from 'bun:test'
import { safeFileName } from '../../../src/domain/delivery/name.ts'

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
