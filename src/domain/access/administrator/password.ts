import { randomBase62 } from '../key/key.ts'

const ALGORITHM = 'argon2id'
/** 119 bits. */
const GENERATED_CHARS = 20

/** @returns argon2id in PHC string format */
export const hashPassword = (password: string) => Bun.password.hash(password, { algorithm: ALGORITHM })

/** A password for a person who will change it. */
export const generatePassword = () => randomBase62(GENERATED_CHARS)

let decoy: Promise<string> | undefined

/** @param hash null where the person is unknown: the work is done all the same */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  // Compared against where there is nobody to compare with, so that the answer takes as long. Made for everybody, or the
  // first unknown person would be told by the time that it takes to make.
  decoy ??= hashPassword('no such administrator')
  const nobody = await decoy
  const isRight = await Bun.password.verify(password, hash ?? nobody)
  return isRight && hash !== null
}
