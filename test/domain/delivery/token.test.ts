import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { signDelivery, verifyDelivery } from '../../../src/domain/delivery/token.ts'

const SECRET = 'mysecrettoken'
const PATH = '/images/cat.jpg'
const ISSUED = 1_484_063_787
const MAC = 'XsZ5NmtNBxOd4f4fBOtqVmpWRnDRNkHKVZieqDPKu3U'
const TOKEN = `${ISSUED}-${MAC}`

describe('delivery addresses (contract, section 6)', () => {
  test("the contract's vector", () => {
    expect(signDelivery(SECRET, PATH, ISSUED)).toBe(TOKEN)
    expect(verifyDelivery([SECRET], PATH, TOKEN, ISSUED)).toBe('valid')
  })

  test('the mac covers path and stamp, nothing else', () => {
    const path = '/0190/a b/ü_hq.m4a'
    const mac = createHmac('sha256', 'another').update(`${path}1700000000`).digest('base64url')
    expect(signDelivery('another', path, 1_700_000_000)).toBe(`1700000000-${mac}`)
    expect(mac).not.toContain('=')
  })

  test('is valid for exactly 3600 seconds', () => {
    const at = (seconds: number) => verifyDelivery([SECRET], PATH, TOKEN, ISSUED + seconds)
    expect(at(0)).toBe('valid')
    expect(at(3599)).toBe('valid')
    expect(at(3600)).toBe('valid')
    expect(at(3601)).toBe('expired')
    expect(at(86_400)).toBe('expired')
  })

  test('a timestamp may be at most 30 seconds in the future', () => {
    const at = (seconds: number) => verifyDelivery([SECRET], PATH, TOKEN, ISSUED + seconds)
    expect(at(-1)).toBe('valid')
    expect(at(-30)).toBe('valid')
    expect(at(-31)).toBe('forged')
    expect(at(-86_400)).toBe('forged')
  })

  test('the first secret signs, all of them verify', () => {
    const old = signDelivery('old-secret', PATH, ISSUED)
    expect(verifyDelivery(['new-secret', 'old-secret'], PATH, old, ISSUED)).toBe('valid')
    expect(verifyDelivery(['old-secret', 'new-secret'], PATH, old, ISSUED)).toBe('valid')
    expect(verifyDelivery(['new-secret'], PATH, old, ISSUED)).toBe('forged')
    expect(verifyDelivery([], PATH, old, ISSUED)).toBe('forged')
  })

  test('an old forged timestamp is forged, not expired', () => {
    expect(verifyDelivery(['other'], PATH, TOKEN, ISSUED + 100_000)).toBe('forged')
  })

  const tampered: [what: string, path: string, token: string][] = [
    ['another path', '/images/dog.jpg', TOKEN],
    ['a path without its slash', 'images/cat.jpg', TOKEN],
    ['a path in other case', '/Images/cat.jpg', TOKEN],
    ['another stamp', PATH, `${ISSUED + 1}-${MAC}`],
    ['a stamp with a zero in front', PATH, `0${ISSUED}-${MAC}`],
    ['a changed mac', PATH, `${ISSUED}-Y${MAC.slice(1)}`],
    ['a mac with its last bits changed', PATH, `${ISSUED}-${MAC.slice(0, -1)}V`],
    ['a shortened mac', PATH, TOKEN.slice(0, -1)],
    ['a padded mac', PATH, `${TOKEN}=`],
    ['no mac', PATH, `${ISSUED}-`],
    ['no stamp', PATH, `-${MAC}`],
    ['a negative stamp', PATH, `-${TOKEN}`],
    ['something behind', PATH, `${TOKEN}\n`],
    ['nothing', PATH, ''],
    ['a mac of the same letters in other case', PATH, `${ISSUED}-${MAC.toLowerCase()}`],
  ]
  test.each(tampered)('refuses %s', (_, path, token) => {
    expect(verifyDelivery([SECRET], path, token, ISSUED)).toBe('forged')
  })
})
