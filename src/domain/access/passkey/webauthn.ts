import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { z } from 'zod'

// The checks of Web Authentication (W3C, Level 3, sections 7.1 and 7.2) without attestation: any authenticator is accepted
// that verified the person.

const sha256 = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest()
const decode = (text: string): Buffer => Buffer.from(text, 'base64url')

/** Flags of authenticator data: a person was present, and was verified by PIN or body; a credential follows. */
const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40]
const FLAGS_AT = 32
/** Hash of the RP ID, flags and counter. */
const HEADER_BYTES = 37
const AAGUID_BYTES = 16
const LENGTH_BYTES = 2

/** Values that a ceremony must have. */
export interface Ceremony {
  type: 'webauthn.create' | 'webauthn.get'
  /** base64url. */
  challenge: string
  /** Of the pages of the service. */
  origin: string
}

/** An answer of a browser, each part in base64url. */
interface Signable {
  clientData: string
  authenticatorData: string
}

const clientDataShape = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
})

/** Whether an answer belongs to a ceremony on a page of the service, in which a person was verified. */
export function isOfCeremony({ clientData, authenticatorData }: Signable, expected: Ceremony): boolean {
  const client = parseClientData(clientData)
  const data = decode(authenticatorData)
  const flags = data[FLAGS_AT] ?? 0
  return (
    client?.type === expected.type &&
    client.challenge === expected.challenge &&
    client.origin === expected.origin &&
    client.crossOrigin !== true &&
    data.length >= HEADER_BYTES &&
    data.subarray(0, FLAGS_AT).equals(sha256(new URL(expected.origin).hostname)) &&
    (flags & PRESENT) !== 0 &&
    (flags & VERIFIED) !== 0
  )
}

function parseClientData(clientData: string) {
  try {
    return clientDataShape.parse(JSON.parse(decode(clientData).toString('utf8')))
  } catch {
    return null
  }
}

/** The ID of the new credential in authenticator data, base64url. Null without one. */
export function readCredentialId(authenticatorData: string): string | null {
  const data = decode(authenticatorData)
  const lengthAt = HEADER_BYTES + AAGUID_BYTES
  if (((data[FLAGS_AT] ?? 0) & ATTESTED) === 0 || data.length < lengthAt + LENGTH_BYTES) return null
  const begin = lengthAt + LENGTH_BYTES
  const id = data.subarray(begin, begin + data.readUInt16BE(lengthAt))
  return id.length > 0 ? id.toString('base64url') : null
}

/** Kinds of keys that `isSignature` verifies: ES256, RS256 and EdDSA, which cover all authenticators. */
const KEY_TYPES = ['ec', 'rsa', 'ed25519']
const MIN_RSA_BITS = 2048

/** Reads a public key as browsers give it (SubjectPublicKeyInfo), base64url. Null for another. */
export function readPublicKey(publicKey: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: decode(publicKey), format: 'der', type: 'spki' })
    const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {}
    if (!KEY_TYPES.includes(key.asymmetricKeyType ?? '')) return null
    if (namedCurve !== undefined && namedCurve !== 'prime256v1') return null
    return modulusLength !== undefined && modulusLength < MIN_RSA_BITS ? null : key
  } catch {
    return null
  }
}

/** Whether an authenticator with a key signed an answer. */
export function isSignature(key: KeyObject, { clientData, authenticatorData }: Signable, signature: string): boolean {
  const signed = Buffer.concat([decode(authenticatorData), sha256(decode(clientData))])
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  return verify(digest, signed, key, decode(signature))
}
