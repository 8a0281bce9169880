import { expect, test } from 'bun:test'
import { isStorable, storable } from '../../src/platform/storable-text.ts'

test.each([
  ['a short text stays', 'abc', 'abc'],
  ['a longer one is cut', 'abcdef', 'abcd'],
  ['a character of two units that fits stays', 'ab😀d', 'ab😀'],
  ['a character is not split', 'abc😀', 'abc'],
  ['U+0000 does not count', '\0a\0bcd', 'abcd'],
  ['half a character is replaced', 'a\ude00b', 'a\ufffdb'],
  ['nothing is left of half a character at the end', 'ab\ud83d', 'ab'],
])('%s', (_, text, expected) => {
  expect(storable(text, 4)).toBe(expected)
  expect(isStorable(storable(text, 4))).toBeTrue()
})
