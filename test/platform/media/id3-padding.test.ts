import { expect, test } from 'bun:test'
import { id3Tag } from '../../../src/platform/media/tags/id3.ts'

const picture = { bytes: Buffer.from('\xff\xd8\xff picture', 'latin1'), type: 'image/jpeg' as const }

test('padding follows the picture of an ID3 tag, and is a part of the tag', () => {
  const tag = id3Tag({ fields: [], chapters: [], picture, durationSeconds: 1 })
  const size = tag.subarray(6, 10).reduce((sum, byte) => sum * 128 + byte, 0)
  expect(size).toBe(tag.length - 10)
  const end = tag.indexOf(picture.bytes) + picture.bytes.length
  expect(tag.subarray(end)).toEqual(Buffer.alloc(16))
})
