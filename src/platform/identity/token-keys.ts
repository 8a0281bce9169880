import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../db/client.ts'
import { locks } from '../db/locks.ts'
import { HOUR_MS } from '../time.ts'
import type { Signing } from './signing.ts'

export const TOKEN_ALGORITHM = 'ES256'
/** Lifetime of the tokens, in seconds. */
export const TOKEN_SECONDS = 900
/** Time for which a key is published before it signs, so that every reader of the key set has fetched it. */
export const PUBLISHED_MS = HOUR_MS
const CACHED_MS = 60_000
/** Tokens with invented key ids must not cost a query each. */
const REREAD_MS = 1_000

interface TokenKey {
  kid: string
  createdAtMs: number
  privateKey: CryptoKey
  publicKey: CryptoKey
  publicJwk: JWK
}

/** Services that token keys need. */
export interface KeyServices {
  db: Database
  signing: Signing
  clock: () => Date
  log: Logger
}
export type TokenKeys = ReturnType<typeof createTokenKeys>

/**
 * Creates the key pairs of administrators' tokens, shared by all processes through the database and cached for a
 * minute. The newest key that has been published for an hour signs; the very first one signs immediately.
 */
export function createTokenKeys(services: KeyServices) {
  let cached: { keys: TokenKey[]; readAtMs: number } | null = null
  let reading: Promise<TokenKey[]> | null = null
  const age = () => (cached ? services.clock().getTime() - cached.readAtMs : Number.POSITIVE_INFINITY)

  async function refresh(): Promise<TokenKey[]> {
    const readAtMs = services.clock().getTime()
    let keys = await readKeys(services)
    if (keys.length === 0) {
      await createFirstKey(services)
      keys = await readKeys(services)
    }
    cached = { keys, readAtMs }
    return keys
  }
  /** Returns the keys, oldest first. Concurrent callers share one query. */
  function keys(maxAgeMs: number): Promise<TokenKey[]> {
    if (cached && age() >= 0 && age() < maxAgeMs) return Promise.resolve(cached.keys)
    reading ??= refresh().finally(() => {
      reading = null
    })
    return reading
  }

  return {
    /** Returns the key that signs now. */
    async signer(): Promise<{ kid: string; privateKey: CryptoKey }> {
      const all = await keys(CACHED_MS)
      const publishedBefore = services.clock().getTime() - PUBLISHED_MS
      const signer = all.findLast(({ createdAtMs }) => createdAtMs <= publishedBefore) ?? all[0]
      if (!signer) throw new Error('no token key exists')
      return signer
    },

    /** Returns a public key by id. Null for an unknown or retired key. */
    async verifier(kid: string): Promise<CryptoKey | null> {
      const find = (all: TokenKey[]) => all.find((key) => key.kid === kid)?.publicKey
      return find(await keys(CACHED_MS)) ?? find(await keys(REREAD_MS)) ?? null
    },

    /** Returns the public keys that verify tokens (RFC 7517). */
    published: async (): Promise<{ keys: JWK[] }> => ({
      keys: (await keys(CACHED_MS)).map(({ publicJwk }) => publicJwk),
    }),
  }
}

async function readKeys({ db, signing, log }: KeyServices): Promise<TokenKey[]> {
  const rows = await db.signingKey.findMany({
    where: { retiredAt: null },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  const keys = rows.map(async ({ id: kid, sealedKey, createdAt }): Promise<TokenKey[]> => {
    try {
      const { d, ...bare } = JSON.parse(signing.unseal(sealedKey)) as JWK
      const publicJwk = { ...bare, kid, alg: TOKEN_ALGORITHM, use: 'sig' }
      const [privateKey, publicKey] = await Promise.all([importKey({ ...bare, d }), importKey(bare)])
      return [{ kid, createdAtMs: createdAt.getTime(), privateKey, publicKey, publicJwk }]
    } catch (error) {
      // Sealed with another root secret. Changing the secret is meant to invalidate its tokens.
      log.warn({ err: error, kid }, 'a token key cannot be decrypted with the current secret')
      return []
    }
  })
  return (await Promise.all(keys)).flat()
}

const importKey = async (jwk: JWK) => (await importJWK(jwk, TOKEN_ALGORITHM)) as CryptoKey

function createFirstKey(services: KeyServices): Promise<void> {
  return services.db.$transaction(async (tx) => {
    await lockKeys(tx)
    const inside = { ...services, db: tx as unknown as Database }
    if ((await readKeys(inside)).length === 0) await insertKey(tx, services)
  })
}

/** Locks the keys against changes by other processes until the transaction ends. */
export async function lockKeys(tx: Transaction): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${locks.tokenKeys})`
}

/** Creates a key. @returns its id */
export async function insertKey(tx: Transaction, { signing, clock }: Pick<KeyServices, 'signing' | 'clock'>) {
  const { privateKey } = await generateKeyPair(TOKEN_ALGORITHM, { extractable: true })
  const jwk = await exportJWK(privateKey)
  const id = await calculateJwkThumbprint(jwk)
  await tx.signingKey.create({ data: { id, sealedKey: signing.seal(JSON.stringify(jwk)), createdAt: clock() } })
  return id
}

/** Returns the IDs of the keys that the installation with a database publishes. Empty before the first one. */
export async function readKeyIds(pool: Pick<Pool, 'query'>): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM signing_key')
  return rows.map(({ id }) => id)
}
