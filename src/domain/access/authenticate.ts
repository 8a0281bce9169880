import { jwtVerify, SignJWT } from 'jose'
import type { Services, Viewer } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { parse } from '../../platform/input.ts'
import { parseKey } from './key.ts'
import { signInInput } from './schema.ts'
import { unauthenticated } from './viewer.ts'

const ISSUER = 'tonearm'
const TOKEN_SECONDS = 3600
const LAST_USED_STEP_MS = 60_000

/**
 * Who an Authorization header speaks for; null where there is none.
 * @throws AppError `unauthenticated` for anything but a valid key or token
 */
export async function authenticate(services: Services, authorization: string | null): Promise<Viewer | null> {
  if (authorization === null) return null
  const credential = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (!credential) throw unauthenticated()
  return credential.includes('.') ? readToken(services, credential) : readKey(services, credential)
}

async function readKey(services: Services, credential: string): Promise<Viewer> {
  const parsed = parseKey(credential)
  if (!parsed) throw unauthenticated()
  // Looked up by its hash: what the index compares tells nothing about the key itself.
  const key = await services.db.apiKey.findUnique({ where: { hash: parsed.hash } })
  const now = services.clock()
  if (!key || key.revokedAt || (key.expiresAt && key.expiresAt <= now)) throw unauthenticated()
  if (!key.lastUsedAt || now.getTime() - key.lastUsedAt.getTime() > LAST_USED_STEP_MS) {
    await services.db.apiKey.update({ where: { id: key.id }, data: { lastUsedAt: now }, select: { id: true } })
  }
  const { id: keyId, kind, organizationId, collectionId, creatorId } = key
  return { type: 'key', keyId, kind, organizationId, collectionId, creatorId }
}

async function readToken(services: Services, token: string): Promise<Viewer> {
  const verified = await jwtVerify(token, services.signing.tokenKey, {
    issuer: ISSUER,
    algorithms: ['HS256'],
    currentDate: services.clock(),
  }).catch(() => null)
  if (!verified?.payload.sub) throw unauthenticated()
  // Read anew at every request: a disabled administrator is out at once, whatever the token says.
  const administrator = await services.db.administrator.findUnique({ where: { id: verified.payload.sub } })
  if (!administrator || administrator.disabledAt) throw unauthenticated()
  const { id: administratorId, role, organizationId } = administrator
  return { type: 'administrator', administratorId, role, organizationId }
}

// Compared against where the address is unknown, so that the answer takes as long.
const decoyHash = Bun.password.hashSync('no such administrator', { algorithm: 'argon2id' })

/**
 * Exchanges an administrator's password for a token.
 * @returns a JWT (RFC 7519) and its end
 * @throws AppError `unauthenticated`, the same for an unknown address and a wrong password
 */
export async function signIn(services: Services, raw: unknown) {
  const input = parse(signInInput, raw)
  const administrator = await services.db.administrator.findFirst({
    where: { email: { equals: input.email.trim().toLowerCase() }, disabledAt: null },
  })
  const isRight = await Bun.password.verify(input.password, administrator?.passwordHash ?? decoyHash)
  if (!administrator || !isRight) throw new AppError('unauthenticated', 'The email address or the password is wrong.')
  const now = services.clock()
  const expiresAt = new Date(now.getTime() + TOKEN_SECONDS * 1000)
  const token = await new SignJWT({ role: administrator.role })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(ISSUER)
    .setSubject(administrator.id)
    .setIssuedAt(now)
    .setExpirationTime(expiresAt)
    .sign(services.signing.tokenKey)
  await services.db.administrator.update({ where: { id: administrator.id }, data: { lastSignInAt: now } })
  return { token, expiresAt, administrator }
}
