// Passkeys by the browser (W3C Web Authentication). Bytes are base64url, as the service takes them.
import { t } from '../strings.ts'
import { ApiError } from './api.ts'

/** A ceremony that the service has begun. */
export interface PasskeyCeremony {
  challenge: string
  host: string
}

/** A signature of a passkey. */
export interface PasskeySignature {
  credentialId: string
  clientData: string
  authenticatorData: string
  signature: string
}

/** The person of a new passkey, as the authenticator shows them. */
interface PasskeyOwner {
  id: string
  email: string
  name: string | null
}

/** ES256, EdDSA and RS256 (IANA COSE Algorithms). */
const ALGORITHMS = [-7, -8, -257]
const TIMEOUT_MS = 5 * 60_000

/** Whether the page may use passkeys. Browsers have them on https and localhost only, and not for IP addresses. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' && !/^[\d.]+$|^\[/.test(location.hostname)

/** Lets the person create a passkey. @throws ApiError with a text for a person */
export async function createPasskey({ challenge, host }: PasskeyCeremony, { id, email, name }: PasskeyOwner) {
  const credential = await navigator.credentials
    .create({
      publicKey: {
        rp: { id: host, name: 'Tonearm' },
        user: { id: new TextEncoder().encode(id), name: email, displayName: name ?? email },
        challenge: decode(challenge),
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
        timeout: TIMEOUT_MS,
      },
    })
    .catch(explain)
  const { rawId, response } = credential as PublicKeyCredential & { response: AuthenticatorAttestationResponse }
  return {
    credentialId: encode(rawId),
    clientData: encode(response.clientDataJSON),
    authenticatorData: encode(response.getAuthenticatorData()),
    publicKey: encode(response.getPublicKey() ?? new ArrayBuffer(0)),
  }
}

/** Lets the person choose a passkey. @throws ApiError with a text for a person */
export async function signWithPasskey({ challenge, host }: PasskeyCeremony): Promise<PasskeySignature> {
  const credential = await navigator.credentials
    .get({
      publicKey: { rpId: host, challenge: decode(challenge), userVerification: 'required', timeout: TIMEOUT_MS },
    })
    .catch(explain)
  const { rawId, response } = credential as PublicKeyCredential & { response: AuthenticatorAssertionResponse }
  return {
    credentialId: encode(rawId),
    clientData: encode(response.clientDataJSON),
    authenticatorData: encode(response.authenticatorData),
    signature: encode(response.signature),
  }
}

/** Browsers give the same error for a person who cancels and for one without a passkey. */
function explain(error: unknown): never {
  throw error instanceof DOMException && error.name === 'NotAllowedError'
    ? new ApiError('passkey_cancelled', t('session.passkeyCancelled'))
    : error
}

const encode = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const decode = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
