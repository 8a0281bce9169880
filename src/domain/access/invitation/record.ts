import { z } from 'zod'
import { AdministratorRole } from '../../../platform/db/generated/client/enums.ts'
import { choice, createdAt, id, integer, text, time } from '../../../platform/schema/fields.ts'
import { createShape } from '../../../platform/schema/record.ts'
import { textRule } from '../../../platform/schema/rules.ts'
import { administratorEmail, newPassword } from '../administrator/record.ts'

/** Maximum number of invitations of an organization at a time. */
export const MAX_INVITATIONS = 100
const DEFAULT_DAYS = 7
const MAX_NAME_CHARS = 200

export const invitationFields = {
  id: id({ description: 'ID of the invitation. UUID.' }),
  email: text({
    description: 'Email address of the new administrator. Stored in lower case.',
    max: 320,
    required: true,
    inputs: ['create'],
  }),
  role: choice('AdministratorRole', AdministratorRole, {
    description: 'Role of the new administrator.',
    required: true,
    inputs: ['create'],
  }),
  createdAt,
  expiresAt: time({ description: 'Time at which the link expires.' }),
}

export const validDays = integer({
  description: `Days until the link expires. Defaults to ${DEFAULT_DAYS}.`,
  min: 1,
  max: 30,
  inputs: ['create'],
})

export const invitationInputs = { ...invitationFields, validDays }
export const createInvitationInput = z.object({
  ...createShape(invitationFields),
  email: administratorEmail.shape.email,
  validDays: validDays.rule.default(DEFAULT_DAYS),
})
export type CreateInvitation = z.output<typeof createInvitationInput>

const MAX_TOKEN_CHARS = 256
export const tokenInput = z.object({ token: z.string().max(MAX_TOKEN_CHARS) })

export const acceptInput = z.object({
  ...tokenInput.shape,
  name: textRule(MAX_NAME_CHARS)
    .transform((name) => name.trim() || null)
    .nullish(),
  password: newPassword,
})
export type AcceptInvitation = z.output<typeof acceptInput>
