import { expect, test } from 'bun:test'
import { id3Tag } from '../../../src/platform/media/tags/id3.ts'

const picture = { bytes: Buffer.from(`\xff\xd8\xff ${'picture '.repeat(30)}`, 'latin1'), type: 'image/jpeg' as const }
const write = (fields: Parameters<typeof id3Tag>[0]['fields']) =>
  id3Tag({ fields, chapters: [], picture, durationSeconds: 1 })
const readSize = (tag: Buffer) => tag.subarray(6, 10).reduce((sum, byte) => sum * 128 + byte, 0)
const endOf = (tag: Buffer) => tag.subarray(tag.indexOf(picture.bytes) + picture.bytes.length)

test('padding follows a picture without other frames, and is a part of the ID3 tag', () => {
  const tag = write([])
  expect(readSize(tag)).toBe(tag.length - 10)
  expect(endOf(tag)).toEqual(Buffer.alloc(16))
})

test('a short frame follows a picture in place of padding', () => {
  const tag = write([{ name: 'title', values: ['Short'] }])
  expect(readSize(tag)).toBe(tag.length - 10)
  expect(endOf(tag).toString('latin1', 0, 4)).toBe('TIT2')
  expect(endOf(tag).toString('latin1')).toEndWith('Short')
})
