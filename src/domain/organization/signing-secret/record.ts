import { z } from 'zod'
import { createdAt, flag, id, integer, time } from '../../../platform/schema/fields.ts'

/** A secret of the delivery token, as it may be shown: without the secret itself. */
export const signingSecretFields = {
  id: id({ description: 'ID of the secret: the first 16 hexadecimal digits of its SHA-256.' }),
  position: integer({ description: 'Position among the secrets. 0 is the one that signs.' }),
  isSigning: flag({ description: 'Whether it signs new addresses.' }),
  createdAt,
  signedUntil: time({
    description: 'Time at which it stopped signing. It can be removed an hour later.',
    nullable: true,
    nullMeans: 'Null if it never signed or signs now.',
  }),
}

const signingSecretId = z
  .string()
  .regex(/^[0-9a-f]{16}$/i, 'must be 16 hex digits')
  .transform((value) => value.toLowerCase())

export const activateSigningSecretInput = z.object({ signingSecretId })
export const removeSigningSecretInput = z.object({ signingSecretId, isForced: z.boolean().default(false) })
export type RemoveSigningSecret = z.output<typeof removeSigningSecretInput>
