import { z } from 'zod'
import { text } from '../../../platform/schema/input.ts'
import { MAX_PASSWORD_CHARS } from '../administrator/schema.ts'

export const signInInput = z.object({
  email: text(320).transform((value) => value.trim().toLowerCase()),
  password: z.string().max(MAX_PASSWORD_CHARS),
})

export const refreshInput = z.object({ refreshToken: z.string().max(256) })
