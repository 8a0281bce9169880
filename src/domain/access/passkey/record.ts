import { z } from 'zod'
import { createdAt, id, text, time } from '../../../platform/schema/fields.ts'
import { requiredTextRule } from '../../../platform/schema/rules.ts'
import { MAX_PASSWORD_CHARS } from '../administrator/record.ts'
import { codeRule } from '../second-factor/record.ts'

/** Maximum number of passkeys of an administrator. */
export const MAX_PASSKEYS = 20
const MAX_TITLE_CHARS = 100

export const passkeyFields = {
  id: id({ description: 'ID of the passkey. UUID.' }),
  title: text({ description: 'Name that the person gave it.', max: MAX_TITLE_CHARS }),
  createdAt,
  lastUsedAt: time({
    description: 'Time of the last sign-in with it.',
    nullable: true,
    nullMeans: 'Null before the first one.',
  }),
}

/** Bytes as a browser sends them. */
const bytes = z
  .string()
  .max(8192)
  .regex(/^[\w-]+$/, 'must be base64url')

const setup = z.string().max(1024)

export const preparePasskeyInput = z.object({
  password: z.string().max(MAX_PASSWORD_CHARS),
  code: codeRule.nullish(),
})
export type PreparePasskey = z.output<typeof preparePasskeyInput>

export const addPasskeyInput = z.object({
  setup,
  title: requiredTextRule(MAX_TITLE_CHARS),
  credentialId: bytes,
  clientData: bytes,
  authenticatorData: bytes,
  publicKey: bytes,
})
export type AddPasskey = z.output<typeof addPasskeyInput>

export const passkeySignInInput = z.object({
  setup,
  credentialId: bytes,
  clientData: bytes,
  authenticatorData: bytes,
  signature: bytes,
})
export type PasskeySignIn = z.output<typeof passkeySignInInput>
