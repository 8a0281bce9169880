import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../db/client.ts'
import type { Signing } from './signing.ts'

export const TOKEN_ALGORITHM = 'ES256'
/** How long a token lasts that these keys sign. */
export const TOKEN_SECONDS = 900
/** How long a key is published before it signs: by then every reader of the key set has fetched it anew. */
export const PUBLISHED_MS = 3_600_000
const CACHED_MS = 60_000
/** Tokens with invented key ids must not each cost a query. */
const REREAD_MS = 1_000
/** Any number: of several processes, one makes a key. */
const KEY_LOCK = 7_210_996

interface TokenKey {
  kid: string
  createdAtMs: number
  privateKey: CryptoKey
  publicKey: CryptoKey
  publicJwk: JWK
}

interface Needs {
  db: Database
  signing: Signing
  clock: () => Date
  log: Logger
}
export type TokenKeys = ReturnType<typeof createTokenKeys>

/**
 * The key pairs that sign and verify administrators' tokens, shared by all processes through the database and kept
 * in memory for a minute. The newest signs that has been published for an hour; a lone first one signs at once.
 */
export function createTokenKeys(services: Needs) {
  let known: { keys: TokenKey[]; readAtMs: number } | null = null
  let reading: Promise<TokenKey[]> | null = null
  const age = () => (known ? services.clock().getTime() - known.readAtMs : Number.POSITIVE_INFINITY)

  async function readAnew(): Promise<TokenKey[]> {
    const readAtMs = services.clock().getTime()
    let keys = await readKeys(services)
    if (keys.length === 0) {
      await makeFirstKey(services)
      keys = await readKeys(services)
    }
    known = { keys, readAtMs }
    return keys
  }
  /** Oldest first. Whoever asks while they are being read shares the answer. */
  function keys(maxAgeMs: number): Promise<TokenKey[]> {
    if (known && age() >= 0 && age() < maxAgeMs) return Promise.resolve(known.keys)
    reading ??= readAnew().finally(() => {
      reading = null
    })
    return reading
  }

  return {
    /** The key that signs now. */
    async signer(): Promise<{ kid: string; privateKey: CryptoKey }> {
      const all = await keys(CACHED_MS)
      const publishedBefore = services.clock().getTime() - PUBLISHED_MS
      const signer = all.findLast(({ createdAtMs }) => createdAtMs <= publishedBefore) ?? all[0]
      if (!signer) throw new Error('there is no key to sign tokens with')
      return signer
    },

    /** The public key of that id; null for one that is unknown or retired. */
    async verifier(kid: string): Promise<CryptoKey | null> {
      const find = (all: TokenKey[]) => all.find((key) => key.kid === kid)?.publicKey
      return find(await keys(CACHED_MS)) ?? find(await keys(REREAD_MS)) ?? null
    },

    /** What others verify tokens with (RFC 7517): public parts alone. */
    published: async (): Promise<{ keys: JWK[] }> => ({
      keys: (await keys(CACHED_MS)).map(({ publicJwk }) => publicJwk),
    }),
  }
}

async function readKeys({ db, signing, log }: Needs): Promise<TokenKey[]> {
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
      // Sealed under another root secret: whoever changed it meant its tokens to end, too.
      log.warn({ err: error, kid }, 'a token key cannot be read with the present secret')
      return []
    }
  })
  return (await Promise.all(keys)).flat()
}

const importKey = async (jwk: JWK) => (await importJWK(jwk, TOKEN_ALGORITHM)) as CryptoKey

function makeFirstKey(services: Needs): Promise<void> {
  return services.db.$transaction(async (tx) => {
    await lockKeys(tx)
    const inside = { ...services, db: tx as unknown as Database }
    if ((await readKeys(inside)).length === 0) await insertKey(tx, services)
  })
}

/** Keeps every other process from making or retiring keys until the transaction ends. */
export async function lockKeys(tx: Transaction): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${KEY_LOCK})`
}

/** Makes a key. @returns its id */
export async function insertKey(tx: Transaction, { signing, clock }: Pick<Needs, 'signing' | 'clock'>) {
  const { privateKey } = await generateKeyPair(TOKEN_ALGORITHM, { extractable: true })
  const jwk = await exportJWK(privateKey)
  const id = await calculateJwkThumbprint(jwk)
  await tx.signingKey.create({ data: { id, sealedKey: signing.seal(JSON.stringify(jwk)), createdAt: clock() } })
  return id
}
