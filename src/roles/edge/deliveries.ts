import { AppError } from '../../platform/errors.ts'

/** Numbers of deliveries from a bucket that a process has open at once. */
export interface DeliveryPlaces {
  total: number
  /** Of one client, and of one organization. */
  share: number
}

/** Each delivery occupies a connection to the bucket and about 250 KB, also while its listener reads nothing. */
export const deliveryPlaces: DeliveryPlaces = { total: 2048, share: 1024 }

const RETRY_AFTER_SECONDS = 5

export interface DeliveryOrigin {
  /** Address block of the client. Null if unknown. */
  client: string | null
  organizationId: string
}

type Bytes = ReadableStream<Uint8Array> | Blob | null

/** Opens the bytes of a delivery within the limits of its process. */
export type WithPlace = (origin: DeliveryOrigin, open: () => Promise<Bytes>) => Promise<Bytes>

/**
 * Limits the deliveries from a bucket that are open at once, of all clients, of each and of each organization. The place
 * is free when the bytes have ended or the client has left.
 * @throws AppError `unavailable` with a time to retry
 */
export function createDeliveryLimit({ total, share }: DeliveryPlaces): WithPlace {
  const open = new Map<string, number>()
  const count = (name: string, change: number) => {
    const number = (open.get(name) ?? 0) + change
    if (number === 0) open.delete(name)
    else open.set(name, number)
  }
  const take = ({ client, organizationId }: DeliveryOrigin): (() => void) => {
    const names = ['all', `organization ${organizationId}`, ...(client === null ? [] : [`client ${client}`])]
    const isFull = names.some((name) => (open.get(name) ?? 0) >= (name === 'all' ? total : share))
    if (isFull) {
      throw new AppError('unavailable', 'The service is sending too many files. Try again shortly.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    for (const name of names) count(name, 1)
    let isFree = false
    return () => {
      if (isFree) return
      isFree = true
      for (const name of names) count(name, -1)
    }
  }
  return async (origin, openBytes) => {
    const free = take(origin)
    try {
      const bytes = await openBytes()
      if (bytes instanceof ReadableStream) return withEnd(bytes, free)
      free()
      return bytes
    } catch (error) {
      free()
      throw error
    }
  }
}

/** Calls `end` when the stream has ended, has failed or is not read any more. */
function withEnd(bytes: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
  const reader = bytes.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          end()
          controller.close()
        } catch (error) {
          end()
          throw error
        }
      },
      cancel(reason) {
        end()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
