import { z } from 'zod'
import { text, time } from '../../../platform/schema/fields.ts'
import { textRule } from '../../../platform/schema/rules.ts'
import { MAX_PASSWORD_CHARS } from '../administrator/record.ts'
import { codeRule } from '../second-factor/record.ts'

/** Tokens of a session, as a sign-in returns them. */
export const sessionFields = {
  token: text({
    description:
      'Access token, to be sent as `Authorization: Bearer`. A JWT (RFC 9068), signed with a key of ' +
      '/.well-known/jwks.json.',
  }),
  expiresAt: time({ description: 'Time at which the access token expires: 15 minutes after it was issued.' }),
  refreshToken: text({ description: 'Refresh token, for one call of `refreshSignIn`. A secret, like a password.' }),
  refreshExpiresAt: time({
    description: 'Time at which the session expires and the password is required again: 30 days after the sign-in.',
  }),
}

export const signInInput = z.object({
  email: textRule(320).transform((value) => value.trim().toLowerCase()),
  password: z.string().max(MAX_PASSWORD_CHARS),
  code: codeRule.nullish(),
})
export type SignIn = z.output<typeof signInInput>

export const refreshInput = z.object({ refreshToken: z.string().max(256) })
