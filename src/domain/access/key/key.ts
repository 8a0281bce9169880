import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { KeyKind } from '../../../platform/db/generated/client/enums.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6
const pattern = /^([0-9a-f]{32})_(api|uploader|player|share)_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/

/** The parts of a key. */
export interface ParsedKey {
  kind: KeyKind
  /** SHA-256 of the whole key, in lower-case hex. This is what is stored. */
  hash: string
}

/**
 * Creates a key: `<organization id, 32 hex>_<kind>_<43 base62><6 base62 of CRC-32>`.
 * @returns the key, which is shown once, and the hash to store
 * @see contract, section 2
 */
export function createKeyString(organizationId: string, kind: KeyKind): { key: string; hash: string } {
  const body = `${organizationId.replaceAll('-', '')}_${kind}_${randomBase62(SECRET_LENGTH)}`
  const key = body + checksum(body)
  return { key, hash: hashKey(key) }
}

/** Parses a key. @returns null for a malformed key, which is refused without a database query */
export function parseKey(key: string): ParsedKey | null {
  const match = pattern.exec(key)
  if (!match) return null
  const [, , kind, , sentChecksum] = match
  if (checksum(key.slice(0, -CHECKSUM_LENGTH)) !== sentChecksum) return null
  return { kind: kind as KeyKind, hash: hashKey(key) }
}

function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** IEEE CRC-32 in base62, padded with 0: 62^6 is more than 2^32. */
function checksum(text: string): string {
  let value = crc32(text)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET.charAt(value % 62) + digits
    value = Math.floor(value / 62)
  }
  return digits
}

/** Uniformly distributed characters from a secure source. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte; larger values would favor the first characters of the alphabet.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % 62)
  }
  return text
}
