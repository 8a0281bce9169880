import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { Services } from '../../../platform/context.ts'
import type { AdministratorRole } from '../../../platform/db/generated/client/enums.ts'
import { TOKEN_ALGORITHM, TOKEN_SECONDS } from '../../../platform/identity/token-keys.ts'

/** RFC 9068. Other types of JWT are not accepted as access tokens. */
const TYPE = 'at+jwt'

const issuerOf = ({ config }: Pick<Services, 'config'>) => config.publicUrl
const tokenAudience = ({ config }: Pick<Services, 'config'>) => `${config.publicUrl}/graphql`

/** The administrator that a token authenticates. */
interface Subject {
  id: string
  organizationId: string
  role: AdministratorRole
}

/**
 * Signs an access token of a session (RFC 9068). `role` and `org` are for clients; the service reads them from the
 * database.
 */
export async function issueToken(services: Services, { id, organizationId, role }: Subject, sessionId: string) {
  const { kid, privateKey } = await services.tokenKeys.signer()
  const issuedAt = Math.floor(services.clock().getTime() / 1000)
  const token = await new SignJWT({ org: organizationId, role, sid: sessionId })
    .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: TYPE, kid })
    .setIssuer(issuerOf(services))
    .setAudience(tokenAudience(services))
    .setSubject(id)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + TOKEN_SECONDS)
    .setJti(crypto.randomUUID())
    .sign(privateKey)
  return { token, expiresAt: new Date((issuedAt + TOKEN_SECONDS) * 1000) }
}

const claims = z.object({ sub: z.guid(), sid: z.guid(), exp: z.number() })

/** Verifies an access token that this service issued, without checking its session. @returns null if it is invalid */
export async function readToken(services: Services, token: string) {
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid = '' }) => {
        const key = await services.tokenKeys.verifier(kid)
        if (!key) throw new errors.JWKSNoMatchingKey()
        return key
      },
      {
        issuer: issuerOf(services),
        audience: tokenAudience(services),
        algorithms: [TOKEN_ALGORITHM],
        typ: TYPE,
        requiredClaims: ['exp', 'iat', 'jti'],
        currentDate: services.clock(),
      },
    )
    const { sub, sid, exp } = claims.parse(payload)
    return { administratorId: sub, sessionId: sid, expiresAt: new Date(exp * 1000) }
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}
