import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { z } from 'zod'
import type { Config } from '../../config.ts'
import { AppError } from '../errors.ts'

/** Asymmetric algorithms only: with a shared secret, anyone who reads the key set could sign (RFC 8725, 3.1). */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const CLOCK_TOLERANCE_SECONDS = 30
const TIMEOUT_MS = 5_000
const RETRY_SECONDS = 30

const metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) })

/** Seconds since 1970 that a Date can represent. */
const time = z
  .number()
  .min(0)
  .max(8.64e12)
  .transform((seconds) => new Date(seconds * 1000))
const required = z.object({ iat: time, exp: time, sub: z.string().min(1), azp: z.string().optional() })

/** Longest lifetime of a token. It cannot be withdrawn at its issuer. */
const MAX_LIFETIME_SECONDS = 24 * 60 * 60
/**
 * Types of tokens that authenticate a person: ID tokens, and access tokens for an API (RFC 9068). Others of the same
 * issuer and audience, such as logout tokens, have types of their own (RFC 8725, section 3.11).
 */
const TYPES = ['jwt', 'at+jwt']

const isAcceptedType = (type: unknown) =>
  type === undefined || (typeof type === 'string' && TYPES.includes(type.toLowerCase().replace(/^application\//, '')))

/**
 * Returns whether a token was issued to this service and for it alone (OpenID Connect Core 1.0, section 3.1.3.7, 3-5).
 * @param azp party to which the token was issued
 */
const isForAudience = (audience: string, aud: JWTPayload['aud'], azp: string | undefined) =>
  azp === undefined ? !Array.isArray(aud) || aud.length === 1 : azp === audience

/** A valid token. */
interface VerifiedToken {
  claims: JWTPayload
  /** At most 30 s in the future. */
  issuedAt: Date
  expiresAt: Date
}

/** An identity provider that signs tokens. */
export interface TokenIssuer {
  issuer: string
  /**
   * Checks signature, issuer, audience, type, subject and times of a token. It may be valid for a day at most.
   * @param audience defaults to that of tokens for the API
   * @returns null for an invalid token
   * @throws AppError `unavailable` while the issuer's keys cannot be fetched
   */
  verify: (token: string, audience?: string) => Promise<VerifiedToken | null>
}

/**
 * Creates an OpenID Connect issuer. Its key set is discovered unless its address is configured. Keys are cached for ten
 * minutes, and fetched again, at most twice a minute, for a token with an unknown key.
 * @see OpenID Connect Discovery 1.0, section 4; RFC 8725
 */
export function createTokenIssuer(
  { issuer, audience: apiAudience, jwksUrl }: NonNullable<Config['oidc']>,
  clock: () => Date,
): TokenIssuer {
  let keySet: Promise<JWTVerifyGetKey> | null = null
  function findKeys(): Promise<JWTVerifyGetKey> {
    // A failure is not cached: the next token tries again.
    keySet ??= findKeySet(issuer, jwksUrl).catch((error) => {
      keySet = null
      throw error
    })
    return keySet
  }
  const getKey: JWTVerifyGetKey = async (header, jws) => {
    try {
      return await (await findKeys())(header, jws)
    } catch (error) {
      if (isAboutToken(error)) throw error
      throw new AppError('unavailable', 'The issuer of this token cannot be reached. Try again shortly.', {
        retryAfterSeconds: RETRY_SECONDS,
        cause: error,
      })
    }
  }

  return {
    issuer,
    async verify(token, audience = apiAudience) {
      try {
        const now = clock()
        const { payload: claims, protectedHeader } = await jwtVerify(token, getKey, {
          issuer,
          audience,
          algorithms: ALGORITHMS,
          requiredClaims: ['exp', 'iat'],
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          currentDate: now,
        })
        const { data } = required.safeParse(claims)
        if (!data || data.iat.getTime() > now.getTime() + CLOCK_TOLERANCE_SECONDS * 1000) return null
        if (data.exp.getTime() - data.iat.getTime() > MAX_LIFETIME_SECONDS * 1000) return null
        if (!isAcceptedType(protectedHeader.typ) || !isForAudience(audience, claims.aud, data.azp)) return null
        return { claims, issuedAt: data.iat, expiresAt: data.exp }
      } catch (error) {
        if (error instanceof errors.JOSEError) return null
        throw error
      }
    },
  }
}

/** Whether the token is the reason why a key was not found; otherwise fetching the keys failed. */
function isAboutToken(error: unknown): boolean {
  const codes = [errors.JWKSNoMatchingKey.code, errors.JWKSMultipleMatchingKeys.code, errors.JOSENotSupported.code]
  return error instanceof errors.JOSEError && codes.includes(error.code)
}

/**
 * Fetches the keys of an issuer as a token would have them fetched.
 * @returns their number, and how many of them may sign tokens
 * @throws the reason why tokens of the issuer cannot be verified
 */
export async function inspectIssuer({
  issuer,
  jwksUrl,
}: Pick<NonNullable<Config['oidc']>, 'issuer' | 'jwksUrl'>): Promise<{ keys: number; usable: number }> {
  const url = jwksUrl ?? (await discover(issuer))
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
  if (!response.ok) throw new Error(`${url}: status ${response.status}`)
  const { success, data } = keySetShape.safeParse(await response.json().catch(() => null))
  if (!success) throw new Error(`${url}: is not a set of keys`)
  return { keys: data.keys.length, usable: data.keys.filter(isUsable).length }
}

const keySetShape = z.object({
  keys: z.array(z.object({ kty: z.string(), use: z.string().optional(), alg: z.string().optional() })),
})

const isUsable = ({ kty, use = 'sig', alg }: z.infer<typeof keySetShape>['keys'][number]) =>
  ['RSA', 'EC', 'OKP'].includes(kty) && use === 'sig' && (alg === undefined || ALGORITHMS.includes(alg))

async function findKeySet(issuer: string, jwksUrl: string | undefined): Promise<JWTVerifyGetKey> {
  const url = jwksUrl ?? (await discover(issuer))
  return createRemoteJWKSet(new URL(url), { timeoutDuration: TIMEOUT_MS })
}

async function discover(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
  if (!response.ok) throw new Error(`${url}: status ${response.status}`)
  const document = metadata.parse(await response.json())
  if (document.issuer !== issuer) throw new Error(`${url}: is the document of another issuer`)
  return document.jwks_uri
}
