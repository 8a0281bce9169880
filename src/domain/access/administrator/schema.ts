import { z } from 'zod'
import { AdministratorRole } from '../../../platform/db/generated/client/enums.ts'
import { uuid } from '../../../platform/schema/input.ts'

/** Longer ones only cost time to hash. */
export const MAX_PASSWORD_CHARS = 1024
const MIN_PASSWORD_CHARS = 12

/** Addresses are kept in lower case: one person, however they write it. */
const email = z
  .string()
  .transform((value) => value.trim().toLowerCase())
  .pipe(z.email('must be an email address').max(320))

export const createAdministratorInput = z.object({ email, role: z.enum(AdministratorRole) })

export const updateAdministratorInput = z.object({
  role: z.enum(AdministratorRole).optional(),
  isDisabled: z.boolean().optional(),
})

export const changePasswordInput = z.object({
  currentPassword: z.string().max(MAX_PASSWORD_CHARS),
  newPassword: z.string().min(MIN_PASSWORD_CHARS).max(MAX_PASSWORD_CHARS),
})

export const administratorEmail = z.object({ email })

export const administratorId = z.object({ administratorId: uuid })
