// Preloaded by every test run: passwords are hashed at the lowest cost. The default one takes 80 ms of CPU for each
// sign-in. Processes that tests start hash at the cost of the service.
const { hash } = Bun.password

type Options = Parameters<typeof hash>[1]

/** Lowers only the default: a cost that the caller chooses remains. */
function hashCheaply(password: Parameters<typeof hash>[0], options: Options): Promise<string> {
  const isDefault = typeof options === 'object' && options.algorithm === 'argon2id' && !options.memoryCost
  return hash(password, isDefault ? { ...options, memoryCost: 8, timeCost: 1 } : options)
}
Bun.password.hash = hashCheaply

/** Runs something at the cost of the service. */
export async function atFullCost<T>(run: () => Promise<T>): Promise<T> {
  Bun.password.hash = hash
  try {
    return await run()
  } finally {
    Bun.password.hash = hashCheaply
  }
}
