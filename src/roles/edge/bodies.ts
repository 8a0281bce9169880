import { AppError } from '../../platform/errors.ts'

const MIB = 1 << 20

/** Memory in bytes that upload bodies may take. */
export interface BodyMemory {
  /** Of all bodies of the process. */
  total: number
  /** Of one body whose sender is faster than its reader. A shorter body takes its length at most. */
  most: number
}

/**
 * `Bun.serve` buffers up to 3 MiB of a body (`bun run bench puts`). A body for a bucket is sent on in parts, and
 * some of these are in memory.
 */
export const bodyMemory: Record<'file' | 's3', BodyMemory> = {
  file: { total: 144 * MIB, most: 3 * MIB },
  s3: { total: 256 * MIB, most: 32 * MIB },
}

/** The least that counts for a body: its request and its first buffers. */
const LEAST_BYTES = 192 << 10
/** Bodies of one upload address that are read at once. Others wait: when one succeeds, they are refused unread. */
const MAX_OF_ADDRESS = 2
/** Share of the memory that the bodies of one client may take, and those for one organization. */
const SHARES = { client: 0.75, organization: 0.5 }
const RETRY_AFTER_SECONDS = 5

/** Origin and destination of a body. Null if it has no limit of this kind. */
export interface BodyOrigin {
  /** Path of the upload address. */
  address: string | null
  /** Address block of the client. */
  client: string | null
  /** For whom the upload address was signed: an organization gives such addresses to any number of clients. */
  organization: string | null
  /** From Content-Length. Null for a chunked body. */
  bytes: number | null
}

/** Reads a body within the limits of its process. */
export type WithBody = <T>(origin: BodyOrigin, read: () => Promise<T>) => Promise<T>

/**
 * Limits the memory of the upload bodies that are open at once, of all clients, of each and of each organization, and the
 * number of those that one address reads.
 * @throws AppError `unavailable` with a time to retry, before anything of the body is read
 */
export function createBodyLimit({ total, most }: BodyMemory): WithBody {
  let open = 0
  const ofClient = createShare(total * SHARES.client)
  const ofOrganization = createShare(total * SHARES.organization)
  const ofAddress = new Map<string, Turns>()
  return async ({ address, client, organization, bytes }, read) => {
    const reservedBytes = Math.min(most, Math.max(LEAST_BYTES, bytes ?? most))
    if (
      open + reservedBytes > total ||
      !ofClient.fits(client, reservedBytes) ||
      !ofOrganization.fits(organization, reservedBytes)
    ) {
      throw new AppError('unavailable', 'The service is receiving too many uploads. Try again shortly.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    const count = (change: number) => {
      open += change
      ofClient.add(client, change)
      ofOrganization.add(organization, change)
    }
    count(reservedBytes)
    try {
      return await (address === null ? read() : inTurn(ofAddress, address, read))
    } finally {
      count(-reservedBytes)
    }
  }
}

/** Counts what each of several takes. @param max of one */
function createShare(max: number) {
  const takenBy = new Map<string, number>()
  return {
    fits: (id: string | null, bytes: number) => id === null || (takenBy.get(id) ?? 0) + bytes <= max,
    add(id: string | null, change: number): void {
      if (id === null) return
      const total = (takenBy.get(id) ?? 0) + change
      if (total === 0) takenBy.delete(id)
      else takenBy.set(id, total)
    },
  }
}

interface Turns {
  reading: number
  waiting: (() => void)[]
}

/** Runs `read` when fewer than two others of the same address run. */
async function inTurn<T>(all: Map<string, Turns>, address: string, read: () => Promise<T>): Promise<T> {
  const turns = all.get(address) ?? { reading: 0, waiting: [] }
  all.set(address, turns)
  if (turns.reading < MAX_OF_ADDRESS) turns.reading += 1
  else await new Promise<void>((resolve) => turns.waiting.push(resolve))
  try {
    return await read()
  } finally {
    const next = turns.waiting.shift()
    // The next one takes over this place.
    if (next) next()
    else turns.reading -= 1
    if (turns.reading === 0) all.delete(address)
  }
}
