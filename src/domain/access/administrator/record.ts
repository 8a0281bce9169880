import { z } from 'zod'
import { AdministratorRole } from '../../../platform/db/generated/client/enums.ts'
import { choice, createdAt, flag, id, text, time } from '../../../platform/schema/fields.ts'
import { createShape, updateShape } from '../../../platform/schema/record.ts'

/** Bounds the time that hashing takes. */
export const MAX_PASSWORD_CHARS = 1024
const MIN_PASSWORD_CHARS = 12

/** Stored in lower case, so that an address is unique in any case. */
const email = z
  .string()
  .transform((value) => value.trim().toLowerCase())
  .pipe(z.email('must be an email address').max(320))

export const administratorFields = {
  id: id({ description: 'ID of the administrator. UUID.' }),
  organizationId: id({ description: 'ID of the organization that the administrator belongs to.' }),
  email: text({
    description: 'Unique among all administrators of the service. Stored in lower case.',
    max: 320,
    required: true,
    inputs: ['create'],
  }),
  name: text({
    description: 'Name of the person, which they may change.',
    max: 200,
    nullable: true,
    inputs: ['create'],
  }),
  role: choice('AdministratorRole', AdministratorRole, {
    description: 'What the administrator may do.',
    required: true,
    inputs: ['create', 'update'],
  }),
  lastSignInAt: time({
    description: 'Time of the last sign-in, here or at the external issuer of the token.',
    nullable: true,
    nullMeans: 'Null before the first one.',
  }),
  createdAt,
}

/** Derived from the time at which access was removed. */
export const isDisabled = flag({
  description: 'Whether the administrator is prevented from signing in.',
  inputs: ['update'],
})

/** Derived from the secret of the codes. */
export const hasSecondFactor = flag({ description: 'Whether signing in with the password requires a code, too.' })

export const createAdministratorInput = z.object({ ...createShape(administratorFields), email })
export type CreateAdministrator = z.output<typeof createAdministratorInput>

export const administratorChanges = { ...administratorFields, isDisabled }
export const updateAdministratorInput = z.object(updateShape(administratorChanges))
export type UpdateAdministrator = z.output<typeof updateAdministratorInput>

/** A password that a person chooses. */
export const newPassword = z.string().min(MIN_PASSWORD_CHARS).max(MAX_PASSWORD_CHARS)

export const changePasswordInput = z.object({
  currentPassword: z.string().max(MAX_PASSWORD_CHARS),
  newPassword,
})
export type ChangePassword = z.output<typeof changePasswordInput>

export const administratorEmail = z.object({ email })
