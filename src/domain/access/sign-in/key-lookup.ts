import type { Services } from '../../../platform/context.ts'
import { batched } from '../../../platform/db/batched.ts'

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

/** Returns the key with a hash, or null. */
export type KeyLookup = ReturnType<typeof createKeyLookup>

/**
 * Looks keys up by their hash, so that the comparison in the index leaks nothing about the key. Lookups that arrive
 * while a query runs share the next query. Nothing is cached: a revoked key is refused in the next request.
 */
export const createKeyLookup = ({ reader }: Services) =>
  batched(async (hashes: readonly string[]) => {
    const where = { hash: { in: [...new Set(hashes)] } }
    const keys = await reader.readMany('ApiKey', { where, select })
    const byHash = new Map(keys.map((key) => [key.hash, key]))
    return hashes.map((hash) => byHash.get(hash) ?? null)
  })
