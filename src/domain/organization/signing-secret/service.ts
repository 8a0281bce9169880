import { createHash, randomBytes } from 'node:crypto'
import type { Context } from '../../../platform/context.ts'
import type { SigningSecret as Kept } from '../../../platform/db/generated/client/client.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { DELIVERY_SECONDS } from '../../../platform/identity/signing.ts'
import { parse } from '../../../platform/schema/input.ts'
import { administratorScope } from '../../access/viewer.ts'
import { lockOrganization, ownOrganizationId } from '../service.ts'
import { removeSigningSecretInput, signingSecretId } from './schema.ts'

const MAX_SECRETS = 5

/** A secret of the delivery token. */
interface Secret {
  id: string
  secret: string
  createdAt: Date
  /** When it stopped signing; null where it never signed, or still does. */
  signedUntil: Date | null
}

/** What may be shown of one. */
export interface SigningSecret extends Omit<Secret, 'secret'> {
  /** From 0, which signs. */
  position: number
}

interface Holder {
  signingSecrets: string[]
  createdAt: Date
}
type Times = Pick<Kept, 'id' | 'createdAt' | 'signedUntil'>

const idOf = (secret: string) => createHash('sha256').update(secret).digest('hex').slice(0, 16)

/** An organization's secrets in their order. One of which nothing is kept is as old as the organization. */
function secretsOf({ signingSecrets, createdAt }: Holder, kept: readonly Times[]): Secret[] {
  const known = new Map(kept.map((record) => [record.id, record]))
  return signingSecrets.map((secret) => {
    const id = idOf(secret)
    const record = known.get(id)
    return { id, secret, createdAt: record?.createdAt ?? createdAt, signedUntil: record?.signedUntil ?? null }
  })
}

const shown = ({ secret: _, ...rest }: Secret, position: number): SigningSecret => ({ ...rest, position })

/** What may be shown of an organization's secrets, in their order. */
export const toRestSecrets = (holder: Holder, kept: readonly Times[]) => secretsOf(holder, kept).map(shown)

/**
 * Makes a secret that verifies and does not sign yet: a CDN in front can be told of it without haste.
 * @returns the secret itself too, which is shown only now
 * @throws AppError `limit_reached` with five of them
 */
export async function addSigningSecret(ctx: Context, rawOrganizationId: string) {
  const secret = randomBytes(32).toString('base64url')
  const added = { id: idOf(secret), secret, createdAt: ctx.clock(), signedUntil: null }
  const { organizationId, after } = await changeSecrets(ctx, rawOrganizationId, (before) => {
    if (before.length < MAX_SECRETS) return [...before, added]
    throw new AppError('limit_reached', `An organization has at most ${MAX_SECRETS} signing secrets; remove one first.`)
  })
  return { organizationId, secret, signingSecret: shown(added, after.length - 1) }
}

/** Lets a secret sign all addresses from now on; those before it still verify. */
export async function activateSigningSecret(ctx: Context, rawOrganizationId: string, rawId: string) {
  const { signingSecretId: id } = parse(signingSecretId, { signingSecretId: rawId })
  const { organizationId, after } = await changeSecrets(ctx, rawOrganizationId, (before) => {
    const [signing, ...others] = before
    const found = find(before, id)
    if (!signing || found === signing) return before
    const rest = others.filter((other) => other !== found)
    return [{ ...found, signedUntil: null }, { ...signing, signedUntil: ctx.clock() }, ...rest]
  })
  return { organizationId, signingSecret: shown(find(after, id), 0) }
}

/**
 * Removes a secret that no longer signs: addresses that it signed are refused from now on.
 * @param raw signingSecretId; isForced: also while such addresses may be in use, an hour long
 * @returns the secret as it was
 * @throws AppError `signing_secret_in_use` for the one that signs, and within that hour
 */
export async function removeSigningSecret(ctx: Context, rawOrganizationId: string, raw: unknown) {
  const { signingSecretId: id, isForced } = parse(removeSigningSecretInput, raw)
  const { organizationId, before } = await changeSecrets(ctx, rawOrganizationId, (secrets) => {
    const found = find(secrets, id)
    if (found === secrets[0]) {
      throw new AppError(
        'signing_secret_in_use',
        'The secret that signs cannot be removed; activate another one first.',
      )
    }
    if (!isForced) refuseInUse(found, ctx.clock())
    return secrets.filter((secret) => secret !== found)
  })
  const removed = find(before, id)
  return { organizationId, removedSigningSecret: shown(removed, before.indexOf(removed)) }
}

/** The last address that a secret signed works for an hour. */
function refuseInUse({ signedUntil }: Secret, now: Date): void {
  const secondsLeft = signedUntil ? DELIVERY_SECONDS - (now.getTime() - signedUntil.getTime()) / 1000 : -1
  if (secondsLeft < 0) return
  const message = 'Addresses that the secret signed may still be in use; it can be removed an hour after it stopped.'
  throw new AppError('signing_secret_in_use', message, { retryAfterSeconds: Math.floor(secondsLeft) + 1 })
}

function find(secrets: readonly Secret[], id: string): Secret {
  const found = secrets.find((secret) => secret.id === id)
  if (!found) throw notFound('signingSecretId')
  return found
}

/** Puts another list of secrets in the place of the present one, one change after the other. */
async function changeSecrets(ctx: Context, rawId: string, change: (before: Secret[]) => Secret[]) {
  const organizationId = ownOrganizationId(administratorScope(ctx), rawId)
  return ctx.db.$transaction(async (tx) => {
    await lockOrganization(tx, organizationId)
    const { signingSecretRecords, ...holder } = await tx.organization.findUniqueOrThrow({
      where: { id: organizationId },
      select: { signingSecrets: true, createdAt: true, signingSecretRecords: true },
    })
    const before = secretsOf(holder, signingSecretRecords)
    const after = change(before)
    const signingSecrets = after.map(({ secret }) => secret)
    await tx.organization.update({ where: { id: organizationId }, data: { signingSecrets } })
    await tx.signingSecret.deleteMany({ where: { organizationId } })
    await tx.signingSecret.createMany({ data: after.map(({ secret: _, ...times }) => ({ ...times, organizationId })) })
    return { organizationId, before, after }
  })
}
