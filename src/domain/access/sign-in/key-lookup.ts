import type { Services } from '../../../platform/context.ts'

const select = {
  id: true,
  hash: true,
  kind: true,
  organizationId: true,
  collectionId: true,
  creatorId: true,
  expiresAt: true,
  revokedAt: true,
  lastUsedAt: true,
} as const

type Found = Awaited<ReturnType<typeof read>>[number]
const read = ({ reader }: Services, hashes: string[]) =>
  reader.readMany('ApiKey', { where: { hash: { in: hashes } }, select })

/** Returns the key with a hash, or null. */
export type KeyLookup = (hash: string) => Promise<Found | null>

interface Waiting {
  hash: string
  resolve: (key: Found | null) => void
  reject: (error: unknown) => void
}

/**
 * Looks keys up by their hash, so that the comparison in the index leaks nothing about the key. Lookups that arrive
 * while a query runs share the next query. Nothing is cached: a revoked key is refused in the next request.
 */
export function createKeyLookup(services: Services): KeyLookup {
  let waiting: Waiting[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const keys = await read(services, [...new Set(batch.map(({ hash }) => hash))])
        const byHash = new Map(keys.map((key) => [key.hash, key]))
        for (const { hash, resolve } of batch) resolve(byHash.get(hash) ?? null)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isRunning = false
  }

  return (hash) =>
    new Promise((resolve, reject) => {
      waiting.push({ hash, resolve, reject })
      if (!isRunning) void run()
    })
}
