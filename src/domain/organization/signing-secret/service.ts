import { createHash, randomBytes } from 'node:crypto'
import type { Context, Services } from '../../../platform/context.ts'
import type { SigningSecret as StoredTimes } from '../../../platform/db/generated/client/client.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { administratorScope } from '../../access/viewer.ts'
import { endOfDeliveries } from '../../delivery/known-files.ts'
import { openSecret, sealSecret } from '../../delivery/secret.ts'
import { DELIVERY_SECONDS } from '../../delivery/token.ts'
import { checkOwn, lockOrganization } from '../service.ts'
import type { RemoveSigningSecret } from './record.ts'

const MAX_SECRETS = 5

/** A secret of the delivery token. */
interface Secret {
  id: string
  /** As in the organization's row. */
  stored: string
  createdAt: Date
  /** Time at which it stopped signing. Null if it never signed or signs now. */
  signedUntil: Date | null
}

/** A secret as it may be shown. */
export interface SigningSecret extends Omit<Secret, 'stored'> {
  /** 0 is the one that signs. */
  position: number
  isSigning: boolean
}

interface SecretOwner {
  signingSecrets: string[]
  createdAt: Date
}
type Sealer = Pick<Services, 'signing'>
type Times = Pick<StoredTimes, 'id' | 'createdAt' | 'signedUntil'>

const deriveSecretId = (secret: string) => createHash('sha256').update(secret).digest('hex').slice(0, 16)

/** Returns an organization's secrets in their order. One without stored times is as old as the organization. */
function readSecrets(services: Sealer, { signingSecrets, createdAt }: SecretOwner, times: readonly Times[]): Secret[] {
  const recordById = new Map(times.map((record) => [record.id, record]))
  return signingSecrets.map((stored) => {
    const id = deriveSecretId(openSecret(services, stored))
    const record = recordById.get(id)
    return { id, stored, createdAt: record?.createdAt ?? createdAt, signedUntil: record?.signedUntil ?? null }
  })
}

const toPublicSecret = ({ stored: _, ...rest }: Secret, position: number): SigningSecret => ({
  ...rest,
  position,
  isSigning: position === 0,
})

/** Returns an organization's secrets as they may be shown, in their order. */
export const toPublicSecrets = (services: Sealer, owner: SecretOwner, times: readonly Times[]) =>
  readSecrets(services, owner, times).map(toPublicSecret)

/**
 * Adds a secret that verifies addresses and does not sign yet, so that a CDN can be configured before it signs.
 * @returns also the secret itself, which is shown only once
 * @throws AppError `limit_reached` with five secrets; `not_found`, `forbidden`
 */
export async function addSigningSecret(ctx: Context, organizationId: string) {
  const secret = randomBytes(32).toString('base64url')
  const added = {
    id: deriveSecretId(secret),
    stored: sealSecret(ctx, secret),
    createdAt: ctx.clock(),
    signedUntil: null,
  }
  const { after } = await changeSecrets(ctx, organizationId, (before) => {
    if (before.length < MAX_SECRETS) return [...before, added]
    throw new AppError('limit_reached', `An organization has at most ${MAX_SECRETS} signing secrets; remove one first.`)
  })
  return { organizationId, secret, signingSecret: toPublicSecret(added, after.length - 1) }
}

/**
 * Makes a secret sign all new addresses. The other secrets still verify.
 * @throws AppError `not_found`, `forbidden`
 */
export async function activateSigningSecret(ctx: Context, organizationId: string, id: string) {
  const { after } = await changeSecrets(ctx, organizationId, (before) => {
    const [signing, ...others] = before
    const signingSecret = find(before, id)
    if (!signing || signingSecret === signing) return before
    const rest = others.filter((other) => other !== signingSecret)
    return [{ ...signingSecret, signedUntil: null }, { ...signing, signedUntil: ctx.clock() }, ...rest]
  })
  return { organizationId, signingSecret: toPublicSecret(find(after, id), 0) }
}

/**
 * Removes a secret that does not sign. Addresses that it signed are refused from then on.
 * @param input `isForced` removes it also within an hour after it stopped signing, while its addresses are valid
 * @returns the secret before its removal
 * @throws AppError `signing_secret_in_use` for the one that signs, and within that hour; `not_found`, `forbidden`
 */
export async function removeSigningSecret(
  ctx: Context,
  organizationId: string,
  { signingSecretId: id, isForced }: RemoveSigningSecret,
) {
  const { before } = await changeSecrets(ctx, organizationId, (secrets) => {
    const signingSecret = find(secrets, id)
    if (signingSecret === secrets[0]) {
      throw new AppError(
        'signing_secret_in_use',
        'The secret that signs cannot be removed; activate another one first.',
      )
    }
    if (!isForced) refuseInUse(signingSecret, ctx.clock())
    return secrets.filter((secret) => secret !== signingSecret)
  })
  await endOfDeliveries()
  const removed = find(before, id)
  return { organizationId, removedSigningSecret: toPublicSecret(removed, before.indexOf(removed)) }
}

/** The last address that a secret signed is valid for an hour. */
function refuseInUse({ signedUntil }: Secret, now: Date): void {
  const secondsLeft = signedUntil ? DELIVERY_SECONDS - (now.getTime() - signedUntil.getTime()) / 1000 : -1
  if (secondsLeft < 0) return
  const message = 'Addresses that the secret signed may still be in use; it can be removed an hour after it stopped.'
  throw new AppError('signing_secret_in_use', message, { retryAfterSeconds: Math.floor(secondsLeft) + 1 })
}

function find(secrets: readonly Secret[], id: string): Secret {
  const signingSecret = secrets.find((secret) => secret.id === id)
  if (!signingSecret) throw notFound('signingSecretId')
  return signingSecret
}

/** Replaces an organization's list of secrets. Concurrent changes run one after another. */
async function changeSecrets(ctx: Context, organizationId: string, change: (before: Secret[]) => Secret[]) {
  checkOwn(administratorScope(ctx), organizationId)
  return ctx.db.$transaction(async (tx) => {
    await lockOrganization(tx, organizationId)
    const { signingSecretRecords, ...owner } = await tx.organization.findUniqueOrThrow({
      where: { id: organizationId },
      select: { signingSecrets: true, createdAt: true, signingSecretRecords: true },
    })
    const before = readSecrets(ctx, owner, signingSecretRecords)
    const after = change(before)
    const signingSecrets = after.map(({ stored }) => stored)
    await tx.organization.update({ where: { id: organizationId }, data: { signingSecrets } })
    await tx.signingSecret.deleteMany({ where: { organizationId } })
    await tx.signingSecret.createMany({ data: after.map(({ stored: _, ...times }) => ({ ...times, organizationId })) })
    return { before, after }
  })
}
