import { createHash } from 'node:crypto'
import type { Context, Services } from '../../../platform/context.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { findAdministrator } from '../administrator/service.ts'
import { randomBase62 } from '../key/key.ts'
import { beginProven, type SignedIn } from '../sign-in/service.ts'
import { countAttempt } from '../throttle.ts'
import { LINK_MINUTES, type SignInByLink } from './record.ts'

/** Page of the studio. The token is in its fragment, which browsers send to no server. */
const PAGE_PATH = '/studio/sign-in'
const TOKEN_CHARS = 43

const hashToken = (token: string) => createHash('sha256').update(token).digest('hex')

/** A link that replaces the password of an administrator once. */
export interface NewSignInLink {
  email: string
  /** A credential. */
  link: string
  expiresAt: Date
}

/**
 * Creates a link with which an administrator signs in without a password. Replaces an earlier one. For operators: no viewer is
 * checked.
 * @param email in any case
 * @throws AppError `not_found`, also for a disabled administrator; `invalid_input`
 */
export async function createSignInLink(services: Services, email: string): Promise<NewSignInLink> {
  const { db, clock, config, log } = services
  const administrator = await findAdministrator(services, email)
  if (administrator.disabledAt) throw notFound('email')
  const { id: administratorId } = administrator
  const token = randomBase62(TOKEN_CHARS)
  const createdAt = clock()
  const expiresAt = new Date(createdAt.getTime() + LINK_MINUTES * 60_000)
  await db.$transaction(async (tx) => {
    await tx.signInLink.deleteMany({ where: { administratorId } })
    await tx.signInLink.create({ data: { administratorId, hash: hashToken(token), createdAt, expiresAt } })
  })
  log.info({ administratorId }, 'a sign-in link was created')
  return { email: administrator.email, link: `${config.publicUrl}${PAGE_PATH}#${token}`, expiresAt }
}

/**
 * Exchanges the token of a sign-in link, and a code if the administrator has a second factor, for tokens, and begins a
 * session. Requires no viewer: the token is the permission.
 * @throws AppError `expired`, the same for an unknown, used, replaced and expired link, and for a disabled administrator;
 *   `second_factor_required`, `second_factor_invalid`, after which the link still works; `rate_limited`
 */
export async function signInByLink(ctx: Context, { token, code }: SignInByLink): Promise<SignedIn> {
  const { db, clock, log, address } = ctx
  const ended = () => new AppError('expired', 'The sign-in link was used or replaced, or has expired.')
  const link = await db.signInLink.findFirst({
    where: { hash: hashToken(token), expiresAt: { gt: clock() }, administrator: { disabledAt: null } },
    include: { administrator: true },
  })
  if (!link) throw ended()
  // Counted as a password is, because codes of the second factor could be guessed.
  const attempt = await countAttempt(ctx, link.administrator.email)
  const signedIn = await beginProven(ctx, link.administrator, {
    attempt,
    code,
    refuse: ended,
    spend: async (tx) => {
      // Of two concurrent uses one succeeds.
      const { count } = await tx.signInLink.deleteMany({ where: { id: link.id, expiresAt: { gt: clock() } } })
      if (count === 0) throw ended()
    },
  })
  log.info({ administratorId: link.administratorId, address }, 'a sign-in link was used')
  return signedIn
}
