import { AppError } from '../../platform/errors.ts'

/**
 * Upload bodies that one process reads at once. `Bun.serve` buffers up to 3 MiB of each whose sender is faster than
 * its reader (`bun run bench puts`).
 */
const MAX_BODIES = 64
/** The same where storage is a bucket: a body is sent on in parts and takes up to 32 MiB. */
const MAX_BODIES_TO_BUCKET = 12
/** Bodies of one upload address: a client that lost its connection tries again before the loss is noticed. */
const MAX_OF_ADDRESS = 2
const RETRY_AFTER_SECONDS = 5

/** Where a body is sent to and from. Null if it has no limit of this kind. */
export interface BodyOrigin {
  /** Path of the upload address. */
  address: string | null
  /** Address block of the client. */
  client: string | null
}

/** Reads a body within the limits of its process. */
export type WithBody = <T>(origin: BodyOrigin, read: () => Promise<T>) => Promise<T>

/** Returns the number of bodies that one process reads at once. */
export const maxBodies = (storage: 'file' | 's3') => (storage === 's3' ? MAX_BODIES_TO_BUCKET : MAX_BODIES)

/**
 * Limits the number of upload bodies that are read at once: in all, of one upload address, and of one client, which
 * gets half of the places.
 * @throws AppError `unavailable` with a time to retry, before anything of the body is read
 */
export function createBodyLimit(max: number): WithBody {
  let open = 0
  const ofAddress = new Map<string, number>()
  const ofClient = new Map<string, number>()
  return async ({ address, client }, read) => {
    if (open >= max || countOf(ofClient, client) >= max / 2) {
      throw refusal('The service is receiving too many uploads. Try again shortly.')
    }
    if (countOf(ofAddress, address) >= MAX_OF_ADDRESS) {
      throw refusal('Other requests are sending bytes to this upload address. Try again shortly.')
    }
    open += 1
    add(ofAddress, address, 1)
    add(ofClient, client, 1)
    try {
      return await read()
    } finally {
      open -= 1
      add(ofAddress, address, -1)
      add(ofClient, client, -1)
    }
  }
}

const refusal = (message: string) => new AppError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })

const countOf = (counts: Map<string, number>, key: string | null) => (key === null ? 0 : (counts.get(key) ?? 0))

function add(counts: Map<string, number>, key: string | null, change: number): void {
  if (key === null) return
  const count = countOf(counts, key) + change
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}
