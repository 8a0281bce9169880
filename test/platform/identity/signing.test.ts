import { describe, expect, test } from 'bun:test'
import { createSigning, type UploadGrant } from '../../../src/platform/identity/signing.ts'

describe('upload addresses', () => {
  const root = 'a-root-secret-for-tests-of-40-characters'
  const signing = createSigning(root)
  const grant: UploadGrant = {
    target: 'track',
    id: crypto.randomUUID(),
    organizationId: crypto.randomUUID(),
    issuedMs: 1_000_000,
    expiresMs: 4_600_000,
  }
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
