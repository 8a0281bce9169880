import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { createKeyString, parseKey, randomBase62 } from '../../../../src/domain/access/key/key.ts'
import type { KeyKind } from '../../../../src/platform/db/generated/client/enums.ts'

const ORGANIZATION = '0193f0a1-7c2d-7b3e-8f10-abcdef012345'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const kinds: KeyKind[] = ['api', 'uploader', 'player', 'share']

/** IEEE CRC-32 bit by bit, in base62: written from the contract, not from the source. */
function checksum(text: string): string {
  let crc = 0xffffffff
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  let rest = (crc ^ 0xffffffff) >>> 0
  let digits = ''
  for (let i = 0; i < 6; i++) {
    digits = ALPHABET[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
const keyOf = (body: string) => body + checksum(body)
const SECRET = 'x'.repeat(43)
const HEX = ORGANIZATION.replaceAll('-', '')

describe('keys (contract, section 2)', () => {
  test.each(kinds)('creates a key of kind %s in the specified form and parses it', (kind) => {
    const { key, hash } = createKeyString(ORGANIZATION, kind)
    expect(key).toMatch(new RegExp(`^${HEX}_${kind}_[0-9A-Za-z]{49}$`))
    expect(key.slice(-6)).toBe(checksum(key.slice(0, -6)))
    expect(hash).toBe(createHash('sha256').update(key).digest('hex'))
    expect(parseKey(key)).toEqual({ kind, hash })
  })

  test('parses a key that another implementation created', () => {
    expect(parseKey(keyOf(`${HEX}_share_${SECRET}`))?.kind).toBe('share')
  })

  test('pads a short checksum with 0', () => {
    const bodies = Array.from({ length: 400 }, (_, i) => `${HEX}_api_${String(i).padStart(43, '0')}`)
    const padded = bodies.filter((body) => checksum(body).startsWith('0'))
    expect(padded.length).toBeGreaterThan(0)
    for (const body of padded) expect(parseKey(keyOf(body))).not.toBeNull()
  })

  test('detects every single wrong character', () => {
    const { key } = createKeyString(ORGANIZATION, 'api')
    for (let at = 0; at < key.length; at++) {
      const wrong = key[at] === 'b' ? 'c' : 'b'
      expect(parseKey(key.slice(0, at) + wrong + key.slice(at + 1)), `at ${at}`).toBeNull()
    }
  })

  const garbage: [what: string, key: string][] = [
    ['nothing', ''],
    ['a word', 'hello'],
    ['an unknown kind', keyOf(`${HEX}_admin_${SECRET}`)],
    ['a kind in capitals', keyOf(`${HEX}_API_${SECRET}`)],
    ['an id with hyphens', keyOf(`${ORGANIZATION}_api_${SECRET}`)],
    ['an id in capitals', keyOf(`${HEX.toUpperCase()}_api_${SECRET}`)],
    ['a secret too short', keyOf(`${HEX}_api_${SECRET.slice(1)}`)],
    ['a secret too long', keyOf(`${HEX}_api_${SECRET}x`)],
    ['a secret of other letters', keyOf(`${HEX}_api_${'-'.repeat(43)}`)],
    ['a trailing line end', `${keyOf(`${HEX}_api_${SECRET}`)}\n`],
    ['a space in front', ` ${keyOf(`${HEX}_api_${SECRET}`)}`],
  ]
  test.each(garbage)('refuses %s', (_, key) => {
    expect(parseKey(key)).toBeNull()
  })

  test('creates different secrets with a uniform distribution of characters', () => {
    const many = new Set(Array.from({ length: 500 }, () => createKeyString(ORGANIZATION, 'api').key))
    expect(many.size).toBe(500)
    const counts = new Map<string, number>()
    for (const letter of randomBase62(62_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    expect([...counts.keys()].sort()).toEqual([...ALPHABET].sort())
    // 1000 expected of each, deviation near 32: a modulo without rejection would favor some letters by 25 %.
    for (const [letter, count] of counts) expect(Math.abs(count - 1000), letter).toBeLessThan(200)
  })
})
