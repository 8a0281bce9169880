import type { Services } from '../../platform/context.ts'
import type { Signing } from '../../platform/identity/signing.ts'
import { remembered } from '../../platform/remembered.ts'

/** About 3 MB. */
const MAX_REMEMBERED = 10_000

/** Encrypts a secret of the delivery token for the database. */
export const sealSecret = ({ signing }: Pick<Services, 'signing'>, secret: string): string => signing.seal(secret)

const openers = new WeakMap<Signing, (stored: string) => string>()

/**
 * Decrypts a secret of the delivery token. Each is decrypted once in a process: addresses are signed and verified often.
 * @param stored as in the row of its organization
 * @throws when it was encrypted with another root secret
 */
export function openSecret({ signing }: Pick<Services, 'signing'>, stored: string): string {
  let open = openers.get(signing)
  if (!open) {
    open = remembered(MAX_REMEMBERED, (text) => signing.unseal(text))
    openers.set(signing, open)
  }
  return open(stored)
}
