import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Administrator } from '../../../platform/db/generated/client/client.ts'
import { findStep } from './totp.ts'

/**
 * Accepts a code of an administrator's second factor once: the condition is part of the change, so that of two concurrent
 * uses one succeeds.
 * @param code of the app, or a recovery code, normalized
 * @param tx the transaction of what the code permits
 */
export async function spendCode(
  { signing, clock }: Pick<Services, 'signing' | 'clock'>,
  tx: Transaction,
  { id, sealedTotpSecret }: Pick<Administrator, 'id' | 'sealedTotpSecret'>,
  code: string,
): Promise<boolean> {
  if (sealedTotpSecret === null) return true
  if (!/^\d{6}$/.test(code)) {
    const { count } = await tx.recoveryCode.deleteMany({
      where: { administratorId: id, hash: signing.hashRecoveryCode(id, code) },
    })
    return count > 0
  }
  const step = findStep(signing.unseal(sealedTotpSecret), code, clock())
  if (step === null) return false
  const { count } = await tx.administrator.updateMany({
    where: { id, sealedTotpSecret, totpStep: { lt: step } },
    data: { totpStep: step },
  })
  return count > 0
}
