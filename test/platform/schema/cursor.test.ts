import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createSigning } from '../../../src/platform/identity/signing.ts'
import { type List, listCursors } from '../../../src/platform/schema/cursor.ts'
import { SECRET } from '../../support/service.ts'

const signing = createSigning(SECRET)
const list: List = { organizationId: 'one', name: 'Query.tracks', orderBy: [{ fileName: 'asc' }, { id: 'asc' }] }
const cursors = listCursors(signing, list)
const place = fc.array(fc.option(fc.string({ unit: 'grapheme', maxLength: 50 })), { minLength: 1, maxLength: 4 })
const CHARACTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', '=', ' ', '.', 'é']

describe('a cursor', () => {
  test('returns the place that it was minted from, for any values', () => {
    fc.assert(
      fc.property(place, (values) => {
        const cursor = cursors.mint(values)
        expect(cursor).toMatch(/^[\w-]+$/)
        expect(cursors.read(cursor, 'after')).toEqual(values)
        expect(cursors.mint(values)).toBe(cursor)
      }),
    )
  })

  const others: [name: string, list: List][] = [
    ['organization', { ...list, organizationId: 'two' }],
    ['client without a credential', { ...list, organizationId: null }],
    ['name', { ...list, name: 'Collection.tracks' }],
    ['ordered field', { ...list, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }],
    ['direction', { ...list, orderBy: [{ fileName: 'desc' }, { id: 'desc' }] }],
    ['parent', { ...list, parentId: 'one' }],
  ]
  test.each(others)('is invalid for a list with another %s', (_, other) => {
    const cursor = cursors.mint(['a.wav', 'id'])
    expect(listCursors(signing, other).find(cursor)).toBeNull()
    expect(listCursors(signing, list).find(cursor)).toEqual(['a.wav', 'id'])
  })

  test('does not show its values', () => {
    const texts = [
      ['a.wav', 'id'],
      ['b.wav', 'id'],
    ].map((values) => Buffer.from(cursors.mint(values), 'base64url'))
    const [one, other] = texts.map((bytes) => bytes.toString('latin1'))
    for (const text of [one, other]) expect(text).not.toContain('wav')
    // Another tag is another nonce: equal parts of two bodies are not equal.
    expect(one?.slice(16)).not.toBe(other?.slice(16))
    expect(one?.slice(-4)).not.toBe(other?.slice(-4))
  })

  test('is not accepted with another secret', () => {
    expect(listCursors(createSigning(`${SECRET}!`), list).find(cursors.mint(['a', 'b']))).toBeNull()
  })

  test('is not accepted with any character changed, added or removed', () => {
    fc.assert(
      fc.property(place, fc.nat(), fc.constantFrom(...CHARACTERS), (values, position, character) => {
        const cursor = cursors.mint(values)
        const at = position % cursor.length
        const [head, tail] = [cursor.slice(0, at), cursor.slice(at + 1)]
        const changed = [`${head}${tail}`, `${head}${character}${cursor.slice(at)}`, cursor.slice(0, at)]
        if (character !== cursor[at]) changed.push(`${head}${character}${tail}`)
        for (const other of changed) {
          // A repeated character makes the same text.
          if (other !== cursor) expect(cursors.find(other)).toBeNull()
        }
      }),
    )
  })

  test('is refused with one message that names the argument', () => {
    const texts = ['', ' ', 'x', '\0', Buffer.from('after:1').toString('base64url'), 'é'.repeat(10_000)]
    for (const text of texts) {
      expect(() => cursors.read(text, 'before')).toThrow('before: must be a cursor of this list')
    }
  })
})
