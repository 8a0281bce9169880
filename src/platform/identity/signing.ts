import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** How long a delivery address works, in seconds (specification, section 4, inline share stream). */
export const DELIVERY_SECONDS = 3600
/** Stands behind the path of a delivery address whose file is to be saved, and is signed with it. */
export const DOWNLOAD_QUERY = '?download=1'
/** How far ahead of our clock a stamp may be, in seconds (contract, section 6). */
const CLOCK_SKEW_SECONDS = 30

export type Verdict = 'valid' | 'expired' | 'forged'

/**
 * The value of `?verify=`: `<issued>-<mac>`, mac = base64url of HMAC-SHA256(secret, path + issued).
 * @param path with its leading slash, exactly as it stands in the address; with the query, where one stands before
 *   `verify`
 * @param issued unix seconds
 * @see contract, section 6 (the timed-HMAC form that a CDN's edge rule can check)
 */
export function signDelivery(secret: string, path: string, issued: number): string {
  return `${issued}-${createHmac('sha256', secret).update(`${path}${issued}`).digest('base64url')}`
}

/** The form of a `verify` token: the issued second and the MAC. */
const TOKEN = /^(\d{1,12})-[A-Za-z0-9_-]{43}$/

/**
 * Checks the form and the age of a `verify` token. Needs no secret: `valid` means only that the MAC remains to be checked.
 * @param now unix seconds
 */
export function checkTokenAge(token: string, now: number): Verdict {
  const issued = Number(TOKEN.exec(token)?.[1] ?? Number.NaN)
  if (!(issued <= now + CLOCK_SKEW_SECONDS)) return 'forged'
  return now - issued > DELIVERY_SECONDS ? 'expired' : 'valid'
}

/**
 * Checks a `verify` token against every secret that is valid at present, in constant time.
 * @param now unix seconds
 */
export function verifyDelivery(secrets: readonly string[], path: string, token: string, now: number): Verdict {
  const issued = Number(TOKEN.exec(token)?.[1] ?? 0)
  let isKnown = false
  for (const secret of secrets) isKnown = isSame(signDelivery(secret, path, issued), token) || isKnown
  return isKnown ? checkTokenAge(token, now) : 'forged'
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** What an upload address is for; the word stands in its path. */
export const uploadTargets = ['track', 'track-cover', 'collection-cover', 'organization-cover'] as const
export type UploadTarget = (typeof uploadTargets)[number]

/** One permission to upload, as it stands in an upload address. Times are unix milliseconds. */
export interface UploadGrant {
  target: UploadTarget
  id: string
  issuedMs: number
  expiresMs: number
}

export type Signing = ReturnType<typeof createSigning>

/**
 * Everything that is signed with the service's own root secret, each under a key of its own (HKDF, RFC 5869),
 * so that one kind of token is never taken for another.
 */
export function createSigning(rootSecret: string) {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', rootSecret, 'tonearm', purpose, 32))
  const uploadKey = derive('upload')
  const sealKey = derive('seal')
  const refreshKey = derive('refresh-token')
  const refreshTag = (body: string) => createHmac('sha256', refreshKey).update(body).digest('base64url')
  const fingerprint = derive('fingerprint').toString('base64url')
  const notificationToken = derive('notification').toString('base64url')
  const signature = (grant: UploadGrant) =>
    createHmac('sha256', uploadKey)
      .update(`${grant.target}\n${grant.id}\n${grant.issuedMs}\n${grant.expiresMs}`)
      .digest('base64url')

  return {
    /** Tells whether two processes have the same root secret, and nothing about the secret. */
    fingerprint,
    /** Encrypts a text for the database (AES-256-GCM, nonce in front). */
    seal(text: string): string {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce)
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return sealed.toString('base64')
    },

    /** Reads what `seal` wrote; throws where it was changed, or sealed with another secret. */
    unseal(sealed: string): string {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },

    /** Proves that a refresh token was made here, whether or not it still works. */
    refreshTag,
    isRefreshTag: (body: string, tag: string) => isSame(refreshTag(body), tag),

    /** What a bucket shows when it tells of new objects. */
    notificationToken,
    isNotificationToken: (token: string) => isSame(token, notificationToken),

    /** Path and query of an upload address, to be put behind EDGE_URL. */
    uploadPath(grant: UploadGrant): string {
      const { target, id, issuedMs, expiresMs } = grant
      return `/upload/${target}/${id}?issued=${issuedMs}&expires=${expiresMs}&signature=${signature(grant)}`
    },

    /** The grant that an upload address carries, or null where it is none of ours. Says nothing about its end. */
    readUploadPath(url: URL): UploadGrant | null {
      const [, root, target, id, rest] = url.pathname.split('/')
      const [issuedMs, expiresMs] = [Number(url.searchParams.get('issued')), Number(url.searchParams.get('expires'))]
      if (root !== 'upload' || !id || rest !== undefined || !uploadTargets.includes(target as UploadTarget)) return null
      const grant = { target: target as UploadTarget, id, issuedMs, expiresMs }
      return isSame(signature(grant), url.searchParams.get('signature') ?? '') ? grant : null
    },
  }
}
