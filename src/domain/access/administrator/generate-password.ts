import { randomBase62 } from '../key/key.ts'

/** 119 bits. */
const GENERATED_CHARS = 20

/** An initial password, which the administrator should change. */
export const generatePassword = () => randomBase62(GENERATED_CHARS)
