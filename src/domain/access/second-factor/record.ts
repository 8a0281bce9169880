import { z } from 'zod'
import { MAX_PASSWORD_CHARS } from '../administrator/record.ts'

const MAX_CODE_CHARS = 64

/** A code as a person types it, with spaces or hyphens, in any case. */
export const codeRule = z
  .string()
  .max(MAX_CODE_CHARS)
  .transform((code) => code.replace(/[\s-]/g, '').toLowerCase())

const password = z.string().max(MAX_PASSWORD_CHARS)

export const proofInput = z.object({ password, code: codeRule })
/** Required for a change of the second factor, because a session alone may have been stolen. */
export type Proof = z.output<typeof proofInput>

export const enableInput = z.object({ setup: z.string().max(1024), password, code: codeRule })
export type EnableSecondFactor = z.output<typeof enableInput>
