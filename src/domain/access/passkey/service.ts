import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Context } from '../../../platform/context.ts'
import type { Passkey } from '../../../platform/db/generated/client/client.ts'
import { AppError, invalidInput, notFound, violates } from '../../../platform/errors.ts'
import { checkFactor, withPassword } from '../second-factor/service.ts'
import { beginSession } from '../session.ts'
import type { SignedIn } from '../sign-in/service.ts'
import { issueToken } from '../sign-in/token.ts'
import { personScope } from '../viewer.ts'
import { type AddPasskey, MAX_PASSKEYS, type PasskeySignIn, type PreparePasskey } from './record.ts'
import { type Ceremony, isOfCeremony, isSignature, readCredentialId, readPublicKey } from './webauthn.ts'

const CHALLENGE_BYTES = 32
/** Time that a person has for the window of the browser. */
const SETUP_MS = 5 * 60_000

/** A ceremony that has begun. The client keeps it, sealed: an abandoned one leaves nothing. */
const setupShape = z.object({
  challenge: z.string(),
  issuedMs: z.number(),
  /** The person who has proved themselves, with the password that was valid then. Null for a sign-in. */
  person: z.object({ id: z.string(), passwordHash: z.string() }).nullable(),
})
type Setup = z.infer<typeof setupShape>

/** A ceremony as the browser begins it. */
export interface PasskeyCeremony {
  setup: string
  challenge: string
  /** Host of the pages, for which the passkey is valid. */
  host: string
}

const readPagesUrl = ({ config }: Pick<Context, 'config'>) => new URL(config.publicUrl)

function prepare(ctx: Context, person: Setup['person']): PasskeyCeremony {
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url')
  const setup: Setup = { challenge, issuedMs: ctx.clock().getTime(), person }
  return { setup: ctx.signing.seal(JSON.stringify(setup)), challenge, host: readPagesUrl(ctx).hostname }
}

/** Returns the ceremony of a sealed setup. Null for another text, and after its time. */
function readSetup({ signing, clock }: Context, sealed: string): Setup | null {
  try {
    const setup = setupShape.parse(JSON.parse(signing.unseal(sealed)))
    return setup.issuedMs + SETUP_MS > clock().getTime() ? setup : null
  } catch {
    return null
  }
}

/** The passkeys of the signed-in administrator, newest first. */
export const findOwnPasskeys = (ctx: Context): Promise<Passkey[]> =>
  ctx.db.passkey.findMany({
    where: { administratorId: personScope(ctx).administratorId },
    orderBy: { id: 'desc' },
    take: MAX_PASSKEYS,
  })

/**
 * Begins the creation of a passkey. It will open the account alone, so the password is required, and a code where the
 * administrator has a second factor.
 * @throws AppError `invalid_input` that names the field; `rate_limited`
 */
export async function preparePasskey(ctx: Context, { password, code }: PreparePasskey): Promise<PasskeyCeremony> {
  const { administrator } = await withPassword(ctx, password, (tx, before) =>
    checkFactor(ctx, tx, before, code ?? null),
  )
  const { id, passwordHash } = administrator
  return prepare(ctx, { id, passwordHash })
}

/** Begins a sign-in with any passkey. Changes nothing. */
export const preparePasskeySignIn = (ctx: Context): PasskeyCeremony => prepare(ctx, null)

const describeCeremony = (ctx: Context, type: Ceremony['type'], { challenge }: Setup): Ceremony => ({
  type,
  challenge,
  origin: readPagesUrl(ctx).origin,
})

/**
 * Adds a passkey of the signed-in administrator.
 * @throws AppError `invalid_input` that names the field; `limit_reached`
 */
export async function addPasskey(ctx: Context, input: AddPasskey): Promise<Passkey> {
  const { administratorId } = personScope(ctx)
  const { credentialId, publicKey, title } = input
  const outdated = () => invalidInput('setup', 'is too old or of another administrator: begin again')
  const setup = readSetup(ctx, input.setup)
  if (setup?.person?.id !== administratorId) throw outdated()
  if (!isOfCeremony(input, describeCeremony(ctx, 'webauthn.create', setup))) {
    throw invalidInput('clientData', 'must be of this ceremony, on a page of the service, with the person verified')
  }
  if (readCredentialId(input.authenticatorData) !== credentialId) {
    throw invalidInput('credentialId', 'must be that of the authenticator data')
  }
  if (!readPublicKey(publicKey)) throw invalidInput('publicKey', 'must be of ES256, RS256 or EdDSA')
  const { passwordHash } = setup.person
  const passkey = await ctx.db.$transaction(async (tx) => {
    // Locks the row: the passkeys of a person are counted one after another, and a new password ends the ceremony.
    await tx.$queryRaw`SELECT 1 FROM administrator WHERE id = ${administratorId}::uuid FOR NO KEY UPDATE`
    const person = await tx.administrator.findFirst({ where: { id: administratorId, passwordHash, disabledAt: null } })
    if (!person) throw outdated()
    if ((await tx.passkey.count({ where: { administratorId } })) >= MAX_PASSKEYS) {
      throw new AppError('limit_reached', `A person has at most ${MAX_PASSKEYS} passkeys. Remove one first.`)
    }
    const challengedAt = new Date(setup.issuedMs)
    const data = { administratorId, credentialId, publicKey, title, challengedAt, createdAt: ctx.clock() }
    return tx.passkey.create({ data }).catch((error: unknown) => {
      throw violates(error, 'credential_id') ? invalidInput('credentialId', 'is already a passkey') : error
    })
  })
  ctx.log.info({ administratorId, passkeyId: passkey.id, address: ctx.address }, 'a passkey was added')
  return passkey
}

/** Removes a passkey of the signed-in administrator. @throws AppError `not_found` */
export async function removePasskey(ctx: Context, id: string): Promise<Passkey> {
  const { administratorId } = personScope(ctx)
  const passkey = await ctx.db.passkey.findFirst({ where: { id, administratorId } })
  const { count } = await ctx.db.passkey.deleteMany({ where: { id, administratorId } })
  if (!passkey || count === 0) throw notFound('id')
  ctx.log.info({ administratorId, passkeyId: id, address: ctx.address }, 'a passkey was removed')
  return passkey
}

/**
 * Begins a session for the administrator of a passkey. It replaces the password and the second factor: the authenticator is
 * a possession, and has verified the person.
 * @throws AppError `unauthenticated`, the same for every cause
 */
export async function signInWithPasskey(ctx: Context, input: PasskeySignIn): Promise<SignedIn> {
  const refused = () => {
    ctx.metrics.signInFailures.inc({ reason: 'passkey' })
    return new AppError('unauthenticated', 'The passkey is unknown, or the sign-in took too long.')
  }
  const setup = readSetup(ctx, input.setup)
  if (!setup || setup.person || !isOfCeremony(input, describeCeremony(ctx, 'webauthn.get', setup))) throw refused()
  const passkey = await ctx.db.passkey.findUnique({ where: { credentialId: input.credentialId } })
  const key = passkey && readPublicKey(passkey.publicKey)
  if (!key || !isSignature(key, input, input.signature)) throw refused()
  const { id, administratorId } = passkey
  const challengedAt = new Date(setup.issuedMs)
  const { session, refreshToken, administrator } = await ctx.db.$transaction(async (tx) => {
    // Conditional, and locks the row: access that is removed at the same time ends this session as well.
    const { count } = await tx.administrator.updateMany({
      where: { id: administratorId, disabledAt: null },
      data: { lastSignInAt: ctx.clock() },
    })
    // Each challenge is accepted once, and none that is older than an accepted one.
    const { count: useCount } = await tx.passkey.updateMany({
      where: { id, challengedAt: { lt: challengedAt } },
      data: { challengedAt, lastUsedAt: ctx.clock() },
    })
    if (count === 0 || useCount === 0) throw refused()
    const administrator = await tx.administrator.findUniqueOrThrow({ where: { id: administratorId } })
    return { ...(await beginSession(ctx, tx, administratorId)), administrator }
  })
  const issued = await issueToken(ctx, administrator, session.id)
  return { ...issued, refreshToken, refreshExpiresAt: session.expiresAt, administrator }
}
