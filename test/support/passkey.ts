import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()

/** Values of an answer that differ from those of a careful browser. */
export interface Deviation {
  type?: string
  origin?: string
  challenge?: string
  rpId?: string
  /** User present 1, user verified 4. */
  flags?: number
  isCrossOrigin?: boolean
}

export type Authenticator = ReturnType<typeof createAuthenticator>

/** An authenticator in software with one credential, for pages of an origin (Web Authentication, section 6). */
export function createAuthenticator(pagesOrigin: string, kind: 'ES256' | 'RS256' | 'EdDSA' = 'ES256') {
  const id = randomBytes(32)
  const { publicKey, privateKey } =
    kind === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      : kind === 'RS256'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ed25519')

  function answer(ceremony: { challenge: string }, deviation: Deviation, attested: Buffer) {
    const { type = '', origin = pagesOrigin, challenge = ceremony.challenge, isCrossOrigin = false } = deviation
    const { rpId = new URL(pagesOrigin).hostname, flags = 5 } = deviation
    const client = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: isCrossOrigin }))
    const flagByte = flags | (attested.length > 0 ? 0x40 : 0)
    const data = Buffer.concat([sha256(rpId), Buffer.from([flagByte, 0, 0, 0, 0]), attested])
    return { client, data, clientData: client.toString('base64url'), authenticatorData: data.toString('base64url') }
  }

  return {
    credentialId: id.toString('base64url'),
    /** The input of `addPasskey`, without its setup and title. */
    create(ceremony: { challenge: string }, deviation: Deviation = {}) {
      // AAGUID, length of the ID, and the ID. The COSE key after it is read by no one.
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id])
      const { clientData, authenticatorData } = answer(ceremony, { type: 'webauthn.create', ...deviation }, attested)
      const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64url')
      return { credentialId: id.toString('base64url'), clientData, authenticatorData, publicKey: key }
    },
    /** The input of `signInWithPasskey`, without its setup. */
    sign(ceremony: { challenge: string }, deviation: Deviation = {}) {
      const { client, data, clientData, authenticatorData } = answer(
        ceremony,
        { type: 'webauthn.get', ...deviation },
        Buffer.alloc(0),
      )
      const signed = Buffer.concat([data, sha256(client)])
      const signature = sign(kind === 'EdDSA' ? null : 'sha256', signed, privateKey).toString('base64url')
      return { credentialId: id.toString('base64url'), clientData, authenticatorData, signature }
    },
  }
}
