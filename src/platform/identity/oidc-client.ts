import { LRUCache } from 'lru-cache'
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientError,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { Config } from '../../config.ts'
import { AppError } from '../errors.ts'

const TIMEOUT_SECONDS = 5
const RETRY_SECONDS = 30
/** Time for which the addresses of the issuer are kept, in milliseconds. */
const METADATA_MS = 10 * 60_000

/** Values that the browser that began a sign-in must bring back. */
export interface SignInCheck {
  state: string
  nonce: string
  codeVerifier: string
}

/** Claims of the issuer about a person who signed in. */
export interface IssuerAnswer {
  /** Its nonce has been checked; signature and claims have not. */
  idToken: string
  /** Claims that the issuer gives at its UserInfo endpoint. Empty when the ID token has an address. */
  userInfo: Record<string, unknown>
}

/** A sign-in of a person at another service, by its pages. */
export interface OidcClient {
  /**
   * Begins a sign-in.
   * @returns the address of the issuer's page, and what `finish` needs
   * @throws AppError `unavailable` while the issuer cannot be reached
   */
  begin: () => Promise<{ url: URL; check: SignInCheck }>
  /**
   * Exchanges the code of an answer for an ID token.
   * @param answerUrl the redirect address with the parameters that the issuer added
   * @returns `denied` when the person or the issuer refused; `invalid` when the answer belongs to another sign-in, was used or is too old
   * @throws AppError `unavailable` while the issuer cannot be reached
   */
  finish: (answerUrl: URL, check: SignInCheck) => Promise<IssuerAnswer | 'denied' | 'invalid'>
}

/**
 * Creates a client of the authorization code flow with PKCE (OpenID Connect Core 1.0, section 3.1; RFC 7636).
 * @param redirectUrl address of this service that the issuer redirects to
 */
export function createOidcClient({ issuer, client }: NonNullable<Config['oidc']>, redirectUrl: string): OidcClient {
  const { id = '', secret } = client ?? {}
  const configurations = new LRUCache<string, Configuration>({
    max: 1,
    ttl: METADATA_MS,
    fetchMethod: () =>
      discovery(new URL(issuer), id, secret, secret === undefined ? None() : undefined, {
        timeout: TIMEOUT_SECONDS,
        execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
      }),
  })
  const configure = () =>
    configurations.forceFetch(issuer).catch((error) => {
      throw unavailable(error)
    })

  return {
    async begin() {
      const check = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() }
      const url = buildAuthorizationUrl(await configure(), {
        redirect_uri: redirectUrl,
        scope: 'openid email',
        state: check.state,
        nonce: check.nonce,
        code_challenge: await calculatePKCECodeChallenge(check.codeVerifier),
        code_challenge_method: 'S256',
      })
      return { url, check }
    },
    async finish(answerUrl, { state, nonce, codeVerifier }) {
      const configuration = await configure()
      try {
        const tokens = await authorizationCodeGrant(configuration, answerUrl, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        })
        const { id_token: idToken, access_token: accessToken } = tokens
        const claims = tokens.claims()
        if (idToken === undefined || !claims) return 'invalid'
        // With an access token, an issuer may leave the claims of a scope to this endpoint (OpenID Connect Core 1.0, 5.4).
        const isElsewhere = claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
        const userInfo = isElsewhere ? await fetchUserInfo(configuration, accessToken, claims.sub) : {}
        return { idToken, userInfo }
      } catch (error) {
        if (error instanceof AuthorizationResponseError && REFUSALS.includes(error.error)) return 'denied'
        if (isAboutAnswer(error)) return 'invalid'
        throw unavailable(error)
      }
    },
  }
}

/** The person, or a rule of the issuer about the person, refused (RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0, section 3.1.2.6). */
const REFUSALS = ['access_denied', 'login_required', 'consent_required', 'interaction_required']

/** Codes for an answer that was not meant for this sign-in, or that came too late. */
const ANSWER_CODES = [
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
]

const isAboutAnswer = (error: unknown): boolean =>
  error instanceof ResponseBodyError
    ? error.error === 'invalid_grant'
    : error instanceof ClientError && ANSWER_CODES.includes(error.code ?? '')

/** The issuer is away, or refuses this client: neither is a fault of the person. */
const unavailable = (cause: unknown) =>
  new AppError('unavailable', 'The issuer of the sign-in cannot be used. Try again shortly.', {
    retryAfterSeconds: RETRY_SECONDS,
    cause,
  })
