import { z } from 'zod'
import type { Context } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Administrator } from '../../../platform/db/generated/client/client.ts'
import { invalidInput } from '../../../platform/errors.ts'
import { isPassword } from '../../../platform/identity/password.ts'
import { endSessions } from '../session.ts'
import { countAttempt } from '../throttle.ts'
import { personScope, unauthenticated } from '../viewer.ts'
import type { EnableSecondFactor, Proof } from './record.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'
import { spendCode } from './spend-code.ts'
import { createTotpSecret, findStep, writeTotpUri } from './totp.ts'

const ISSUER = 'Tonearm'
/** Time between the code on the screen and the first code of the app. */
const SETUP_MS = 15 * 60_000

/** A secret that is not in use yet. The client keeps it: an abandoned setup leaves nothing. */
const setupShape = z.object({ administratorId: z.string(), secret: z.string(), expiresMs: z.number() })

export interface SecondFactorSetup {
  setup: string
  secret: string
  uri: string
}

/** An administrator with recovery codes, which are shown once. */
export interface NewRecoveryCodes {
  administrator: Administrator
  recoveryCodes: string[]
}

/** Creates a secret for the app of the signed-in administrator. */
export async function prepareSecondFactor(ctx: Context): Promise<SecondFactorSetup> {
  const { id, email } = await readSelf(ctx)
  const secret = createTotpSecret()
  const expiresMs = ctx.clock().getTime() + SETUP_MS
  const setup = { administratorId: id, secret, expiresMs } satisfies z.infer<typeof setupShape>
  return { setup: ctx.signing.seal(JSON.stringify(setup)), secret, uri: writeTotpUri(ISSUER, email, secret) }
}

/**
 * Requires a code at each sign-in with the password from now on, and ends the other sessions: they began without one.
 * @throws AppError `invalid_input` that names the field; `rate_limited`
 */
export async function enableSecondFactor(
  ctx: Context,
  { setup, password, code }: EnableSecondFactor,
): Promise<NewRecoveryCodes> {
  const result = await withPassword(ctx, password, async (tx, administrator) => {
    const { id, sealedTotpSecret } = administrator
    if (sealedTotpSecret !== null) throw invalidInput('setup', 'must be used while the second factor is off')
    const secret = readSetup(ctx, id, setup)
    const step = findStep(secret, code, ctx.clock())
    if (step === null) throw wrongCode()
    await tx.administrator.update({
      where: { id },
      data: { sealedTotpSecret: ctx.signing.seal(secret), totpStep: step },
    })
    const recoveryCodes = await replaceRecoveryCodes(ctx, tx, id)
    const { sessionId } = personScope(ctx)
    await endSessions(ctx, tx, { administratorId: id, ...(sessionId && { id: { not: sessionId } }) })
    return recoveryCodes
  })
  ctx.log.info(describePerson(ctx), 'a second factor was enabled')
  return { administrator: result.administrator, recoveryCodes: result.value }
}

/** Signing in requires the password only from now on. @throws AppError `invalid_input`, `rate_limited` */
export async function disableSecondFactor(ctx: Context, proof: Proof): Promise<Administrator> {
  const { administrator } = await withPassword(ctx, proof.password, async (tx, before) => {
    await checkCode(ctx, tx, before, proof.code)
    await tx.administrator.update({ where: { id: before.id }, data: { sealedTotpSecret: null, totpStep: null } })
    await tx.recoveryCode.deleteMany({ where: { administratorId: before.id } })
  })
  ctx.log.info(describePerson(ctx), 'a second factor was disabled')
  return administrator
}

/** Replaces the recovery codes. Earlier ones are refused. @throws AppError `invalid_input`, `rate_limited` */
export async function createRecoveryCodes(ctx: Context, proof: Proof): Promise<NewRecoveryCodes> {
  const { administrator, value } = await withPassword(ctx, proof.password, async (tx, before) => {
    await checkCode(ctx, tx, before, proof.code)
    return replaceRecoveryCodes(ctx, tx, before.id)
  })
  ctx.log.info(describePerson(ctx), 'recovery codes were replaced')
  return { administrator, recoveryCodes: value }
}

/** Number of recovery codes of the signed-in administrator that have not been used. */
export const countRecoveryCodes = (ctx: Context): Promise<number> =>
  ctx.db.recoveryCode.count({ where: { administratorId: personScope(ctx).administratorId } })

/** Fields of a line of the log. */
const describePerson = (ctx: Context) => ({ administratorId: personScope(ctx).administratorId, address: ctx.address })

const wrongCode = () => invalidInput('code', 'is wrong, too old or was used before')

/** Accepts a code once. @throws AppError `invalid_input` for another, and without a second factor */
async function checkCode(ctx: Context, tx: Transaction, administrator: Administrator, code: string): Promise<void> {
  if (administrator.sealedTotpSecret === null) throw invalidInput('code', 'is not accepted: the second factor is off')
  if (!(await spendCode(ctx, tx, administrator, code))) throw wrongCode()
}

function readSetup({ signing, clock }: Context, administratorId: string, sealed: string): string {
  const outdated = () => invalidInput('setup', 'is too old or of another administrator: begin again')
  let setup: z.infer<typeof setupShape>
  try {
    setup = setupShape.parse(JSON.parse(signing.unseal(sealed)))
  } catch {
    throw outdated()
  }
  if (setup.administratorId !== administratorId || setup.expiresMs <= clock().getTime()) throw outdated()
  return setup.secret
}

/** Accepts a code once where the administrator has a second factor. @throws AppError `invalid_input` without one */
export async function checkFactor(
  ctx: Context,
  tx: Transaction,
  administrator: Administrator,
  code: string | null,
): Promise<void> {
  if (administrator.sealedTotpSecret !== null) await checkCode(ctx, tx, administrator, code ?? '')
}

async function readSelf(ctx: Context): Promise<Administrator> {
  const administrator = await ctx.db.administrator.findUnique({ where: { id: personScope(ctx).administratorId } })
  if (!administrator) throw unauthenticated()
  return administrator
}

/**
 * Changes the signed-in administrator after a check of the password. Wrong passwords and codes count as those of a
 * sign-in.
 * @param change may throw for a wrong code, which leaves the attempt counted
 */
export async function withPassword<T>(
  ctx: Context,
  password: string,
  change: (tx: Transaction, before: Administrator) => Promise<T>,
): Promise<{ administrator: Administrator; value: T }> {
  const { id, email, passwordHash } = await readSelf(ctx)
  const attempt = await countAttempt(ctx, email)
  const wrong = () => invalidInput('password', 'is not your password')
  if (!(await isPassword(password, passwordHash))) throw wrong()
  const result = await ctx.db.$transaction(async (tx) => {
    // Locks the row: changes of one second factor run one after another.
    await tx.$queryRaw`SELECT 1 FROM administrator WHERE id = ${id}::uuid FOR NO KEY UPDATE`
    const before = await tx.administrator.findFirst({ where: { id, passwordHash, disabledAt: null } })
    if (!before) throw wrong()
    const value = await change(tx, before)
    return { administrator: await tx.administrator.findUniqueOrThrow({ where: { id } }), value }
  })
  await attempt.succeeded()
  return result
}
