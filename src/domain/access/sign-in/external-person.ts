import { z } from 'zod'
import type { Services } from '../../../platform/context.ts'
import type { Administrator } from '../../../platform/db/generated/client/client.ts'

/** Some issuers send `email_verified` as a string. Any other value means that the address is not verified. */
const verification = z.literal([true, 'true'])
const verifiedClaims = z.object({ email: z.email().max(320), email_verified: verification })
/** Some issuers verify each address and omit `email_verified` (OIDC_TRUST_EMAIL). */
const trustedClaims = verifiedClaims.extend({ email_verified: verification.optional() })

/** Why a person of another issuer is no administrator here. */
export type ExternalRefusal = 'unverified_address' | 'unknown_address'

/**
 * Finds the administrator whom a token of another issuer names by email address.
 * @param claims of a verified token
 * @returns `unverified_address` when the issuer does not vouch for the address. `unknown_address` when no administrator has it,
 * and when they are disabled
 */
export async function findByClaims(
  { config, db }: Pick<Services, 'config' | 'db'>,
  claims: object,
): Promise<Administrator | ExternalRefusal> {
  const shape = config.oidc?.isEmailTrusted ? trustedClaims : verifiedClaims
  const { data } = shape.safeParse(claims)
  if (!data) return 'unverified_address'
  const administrator = await db.administrator.findUnique({ where: { email: data.email.toLowerCase() } })
  return administrator && !administrator.disabledAt ? administrator : 'unknown_address'
}
