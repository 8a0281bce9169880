import { z } from 'zod'

/** A secret's name: the first 16 hex digits of its SHA-256. */
export const signingSecretId = z.object({
  signingSecretId: z
    .string()
    .regex(/^[0-9a-f]{16}$/i, 'must be 16 hex digits')
    .transform((value) => value.toLowerCase()),
})

export const removeSigningSecretInput = signingSecretId.extend({ isForced: z.boolean().default(false) })
