const ALGORITHM = 'argon2id'

/** @returns argon2id in PHC string format */
export const hashPassword = (password: string) => Bun.password.hash(password, { algorithm: ALGORITHM })

let decoy: Promise<string> | undefined

/** @param hash null for an unknown person; verifying takes the same time */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  // Used for unknown administrators, so that the response time does not reveal whether an address exists. Computed for
  // every caller, because the first unknown address would otherwise take longer.
  decoy ??= hashPassword('no such administrator')
  const decoyHash = await decoy
  const isRight = await Bun.password.verify(password, hash ?? decoyHash)
  return isRight && hash !== null
}
