import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import {
  createSigning,
  signDelivery,
  type UploadGrant,
  verifyDelivery,
} from '../../../src/platform/identity/signing.ts'

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

describe('upload addresses', () => {
  const root = 'a-root-secret-for-tests-of-40-characters'
  const signing = createSigning(root)
  const grant: UploadGrant = { target: 'track', id: crypto.randomUUID(), issuedMs: 1_000_000, expiresMs: 4_600_000 }
  const read = (path: string, by = signing) => by.readUploadPath(new URL(path, 'http://edge.test'))
  const changed = (key: string, value: string) => {
    const url = new URL(signing.uploadPath(grant), 'http://edge.test')
    url.searchParams.set(key, value)
    return signing.readUploadPath(url)
  }

  test.each(['track', 'track-cover', 'collection-cover'] as const)('contain their grant for a %s', (target) => {
    expect(read(signing.uploadPath({ ...grant, target }))).toEqual({ ...grant, target })
  })

  test('are for one target and one record only', () => {
    const path = signing.uploadPath(grant)
    expect(read(path.replace('/upload/track/', '/upload/track-cover/'))).toBeNull()
    expect(read(path.replace('/upload/track/', '/upload/nothing/'))).toBeNull()
    expect(read(path.replace(grant.id, crypto.randomUUID()))).toBeNull()
    expect(read(path.replace('?', '/more?'))).toBeNull()
    expect(read(path.replace('/upload/', '/download/'))).toBeNull()
  })

  test('cannot be extended or signed again', () => {
    expect(changed('expires', '9999999999999')).toBeNull()
    expect(changed('issued', '1')).toBeNull()
    expect(changed('signature', '')).toBeNull()
    expect(changed('signature', 'A'.repeat(43))).toBeNull()
    expect(read(`/upload/track/${grant.id}`)).toBeNull()
  })

  test('fit the service that signed them, and any copy of it', () => {
    expect(read(signing.uploadPath(grant), createSigning(root))).toEqual(grant)
    expect(read(signing.uploadPath(grant), createSigning(`${root}!`))).toBeNull()
  })

  test('all derived secrets differ, also from the root', () => {
    const { notificationToken, refreshTag } = signing
    expect(refreshTag('x')).not.toBe(createSigning(`${root}!`).refreshTag('x'))
    expect(notificationToken).not.toContain(root)
    expect(signing.isNotificationToken(notificationToken)).toBe(true)
    expect(signing.isNotificationToken('')).toBe(false)
    expect(signing.isNotificationToken(refreshTag('notification'))).toBe(false)
  })
})
