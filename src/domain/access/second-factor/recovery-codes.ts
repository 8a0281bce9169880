import { randomInt } from 'node:crypto'
import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'

export const RECOVERY_CODES = 10

/** Without characters that look like others. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
/** 49 bits: the limit of wrong passwords allows a few guesses in an hour. */
const CODE_CHARS = 10

/** Creates codes for one administrator in place of all earlier ones. @returns the codes, which are shown once */
export async function replaceRecoveryCodes(
  { signing }: Pick<Services, 'signing'>,
  tx: Transaction,
  administratorId: string,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, createCode)
  await tx.recoveryCode.deleteMany({ where: { administratorId } })
  await tx.recoveryCode.createMany({
    data: codes.map((code) => ({ administratorId, hash: signing.hashRecoveryCode(administratorId, code) })),
  })
  return codes.map((code) => `${code.slice(0, CODE_CHARS / 2)}-${code.slice(CODE_CHARS / 2)}`)
}

const createCode = (): string =>
  Array.from({ length: CODE_CHARS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
