import { z } from 'zod'
import { codeRule } from '../second-factor/record.ts'

/** Minutes in which a sign-in link works. */
export const LINK_MINUTES = 15
const MAX_TOKEN_CHARS = 256

export const signInByLinkInput = z.object({ token: z.string().max(MAX_TOKEN_CHARS), code: codeRule.nullish() })
export type SignInByLink = z.output<typeof signInByLinkInput>
