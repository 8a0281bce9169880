import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** Compares two texts in constant time. */
export function isSameText(a: string, b: string): boolean {
  const [bytesA, bytesB] = [Buffer.from(a), Buffer.from(b)]
  return bytesA.length === bytesB.length && timingSafeEqual(bytesA, bytesB)
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Targets of upload addresses, as in their path. */
export const uploadTargets = ['track', 'track-parts', 'track-cover', 'collection-cover', 'organization-cover'] as const
export type UploadTarget = (typeof uploadTargets)[number]
/** Records that a cover can be uploaded for. */
export type CoverTarget = Exclude<UploadTarget, 'track' | 'track-parts'>

/** A permission to upload, as encoded in an upload address. Times are unix milliseconds. */
export interface UploadGrant {
  target: UploadTarget
  id: string
  /** Whose uploads it counts among. */
  organizationId: string
  issuedMs: number
  expiresMs: number
}

export type Signing = ReturnType<typeof createSigning>

/**
 * Signs and encrypts with the service's root secret. Each purpose has a derived key (HKDF, RFC 5869), so that tokens of
 * one kind are invalid as another.
 */
export function createSigning(rootSecret: string) {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', rootSecret, 'tonearm', purpose, 32))
  const uploadKey = derive('upload')
  const sealKey = derive('seal')
  const [refreshKey, successorKey] = [derive('refresh-token'), derive('refresh-token-successor')]
  const [cursorKey, cursorTagKey] = [derive('cursor'), derive('cursor-tag')]
  const cursorTag = (list: string, body: Buffer) =>
    createHmac('sha256', cursorTagKey).update(`${list}\n`).update(body).digest().subarray(0, TAG_BYTES)
  const refreshTag = (body: string) => createHmac('sha256', refreshKey).update(body).digest('base64url')
  const recoveryKey = derive('recovery-code')
  const sharePassKey = derive('share-pass')
  const sharePass = (keyHash: string, password: string, expiresMs: number) =>
    createHmac('sha256', sharePassKey).update(`${keyHash}\n${password}\n${expiresMs}`).digest('base64url')
  const adaptiveKey = derive('adaptive-stream')
  const adaptiveTag = (grant: string, trackId: string) =>
    createHmac('sha256', adaptiveKey).update(`${grant}\n${trackId}`).digest('base64url')
  const listeningKey = derive('listening')
  const listeningTag = (grant: string, trackId: string) =>
    createHmac('sha256', listeningKey).update(`${grant}\n${trackId}`).digest('base64url')
  const fingerprint = derive('fingerprint').toString('base64url')
  const notificationToken = derive('notification').toString('base64url')
  const signature = (grant: UploadGrant) =>
    createHmac('sha256', uploadKey)
      .update(`${grant.target}\n${grant.id}\n${grant.organizationId}\n${grant.issuedMs}\n${grant.expiresMs}`)
      .digest('base64url')

  return {
    /** Equal for processes with the same root secret. Reveals nothing about the secret. */
    fingerprint,
    /** Encrypts a text for the database (AES-256-GCM, nonce first). */
    seal(text: string): string {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce)
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return sealed.toString('base64')
    },

    /** Decrypts the result of `seal`. @throws when it was modified, or sealed with another secret */
    unseal(sealed: string): string {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },

    /** Authenticates a refresh token as issued here, valid or not. */
    refreshTag,
    isRefreshTag: (body: string, tag: string) => isSameText(refreshTag(body), tag),

    /** Hash of a recovery code. Keyed, because the codes are short enough to be guessed from a copy of the database. */
    hashRecoveryCode: (administratorId: string, code: string) =>
      createHmac('sha256', recoveryKey).update(`${administratorId}\n${code}`).digest('hex'),

    /** Authenticates that a client has given the password of a share key, until a time. @param password names it */
    sharePass,
    isSharePass: (keyHash: string, password: string, expiresMs: number, pass: string) =>
      isSameText(sharePass(keyHash, password, expiresMs), pass),

    /** Authenticates that an adaptive stream of a track may be read. @param grant who may, and until when */
    adaptiveTag,
    isAdaptiveTag: (grant: string, trackId: string, tag: string) => isSameText(adaptiveTag(grant, trackId), tag),

    /** Authenticates that a player may report what is heard of a track. @param grant until when, and the length of the track */
    listeningTag,
    isListeningTag: (grant: string, trackId: string, tag: string) => isSameText(listeningTag(grant, trackId), tag),
    /** A number from 0 to 1 for each pair of player and track: always the same, and evenly spread. */
    computeChance: (player: string, trackId: string): number =>
      createHmac('sha256', listeningKey).update(`${trackId}\n${player}`).digest().readUInt32BE() / 2 ** 32,

    /** Returns the secret of the token that follows a refresh token, 43 characters of base64url: always the same. */
    successorSecret: (token: string) => createHmac('sha256', successorKey).update(token).digest('base64url'),

    /**
     * Encrypts the body of a cursor for a list. The tag of the body is the nonce (as in SIV, RFC 5297), so that the same
     * body gives the same text.
     * @param list without line breaks
     */
    sealCursor(list: string, body: string): string {
      const bytes = Buffer.from(body)
      const tag = cursorTag(list, bytes)
      const cipher = createCipheriv('aes-256-ctr', cursorKey, tag)
      return Buffer.concat([tag, cipher.update(bytes), cipher.final()]).toString('base64url')
    },

    /** Decrypts the result of `sealCursor`. Null if it was modified, or sealed for another list or with another secret. */
    unsealCursor(list: string, sealed: string): string | null {
      const bytes = Buffer.from(sealed, 'base64url')
      // Texts with unused bits or other characters decode to the same bytes.
      if (bytes.length < TAG_BYTES || bytes.toString('base64url') !== sealed) return null
      const tag = bytes.subarray(0, TAG_BYTES)
      const decipher = createDecipheriv('aes-256-ctr', cursorKey, tag)
      const body = Buffer.concat([decipher.update(bytes.subarray(TAG_BYTES)), decipher.final()])
      return timingSafeEqual(cursorTag(list, body), tag) ? body.toString() : null
    },

    /** Token of a bucket's notifications about new objects. */
    notificationToken,
    isNotificationToken: (token: string) => isSameText(token, notificationToken),

    /** Returns path and query of an upload address, relative to EDGE_URL. */
    uploadPath(grant: UploadGrant): string {
      const { target, id, organizationId, issuedMs, expiresMs } = grant
      const times = `issued=${issuedMs}&expires=${expiresMs}`
      return `/upload/${target}/${id}?organization=${organizationId}&${times}&signature=${signature(grant)}`
    },

    /** Returns the grant of an upload address, or null for an invalid signature. Does not check the expiry. */
    readUploadPath(url: URL): UploadGrant | null {
      const [, root, target, id, rest] = url.pathname.split('/')
      const [issuedMs, expiresMs] = [Number(url.searchParams.get('issued')), Number(url.searchParams.get('expires'))]
      if (root !== 'upload' || !id || rest !== undefined || !uploadTargets.includes(target as UploadTarget)) return null
      const organizationId = url.searchParams.get('organization') ?? ''
      const grant = { target: target as UploadTarget, id, organizationId, issuedMs, expiresMs }
      return isSameText(signature(grant), url.searchParams.get('signature') ?? '') ? grant : null
    },
  }
}
