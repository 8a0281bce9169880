import type { Context, Services } from '../../platform/context.ts'
import type { Event } from '../../platform/db/generated/client/client.ts'
import { isObject } from '../../platform/object.ts'
import { type Delivery, deliveryRoot, fileAddresses, readDelivery, withDelivery } from '../delivery/address.ts'

type Signer = Pick<Services, 'config' | 'clock' | 'signing'>
/** The part of an event that its body is derived from. */
type Sent = Pick<Event, 'organizationId' | 'type' | 'createdAt' | 'data'>
type Json = Record<string, unknown>

/**
 * Returns the data of an event for a viewer, with addresses that are signed now: an event is read for days, a signature
 * is valid for an hour (contract, section 7). The settings are read once per request.
 */
export const readableData = (ctx: Context, event: Event): unknown =>
  withDelivery(ctx, event.organizationId, (delivery) => currentData(ctx, delivery, event))

/** Returns the body of an event's webhooks for a viewer. */
export const readableBody = (ctx: Context, event: Event): string | Promise<string> =>
  withDelivery(ctx, event.organizationId, (delivery) => toBody(event, currentData(ctx, delivery, event)))

/** Returns the body of a webhook (contract, section 7). Attempts differ only in the addresses, which are signed now. */
export async function webhookBody(services: Signer & Pick<Services, 'reader'>, event: Sent): Promise<string> {
  if (!hasAddresses(event)) return toBody(event, event.data)
  const delivery = await readDelivery(services, event.organizationId)
  return toBody(event, currentData(services, delivery, event))
}

const toBody = ({ type, createdAt }: Sent, data: unknown) => JSON.stringify({ type, timestamp: createdAt, data })

/** Events of collections and webhooks have no addresses. */
const hasAddresses = ({ data }: Sent) => isObject(data) && ('file' in data || 'track' in data)

/** Replaces the addresses in the data of an event: they derive from the paths in it, and from the settings of now. */
function currentData(services: Signer, delivery: Delivery, { data }: Sent): unknown {
  if (!isObject(data)) return data
  const { track, file, files } = data
  return {
    ...data,
    ...(isObject(track) && { track: currentTrack(services, delivery, track) }),
    ...(isObject(file) && { file: currentFile(services, delivery, file) }),
    ...(Array.isArray(files) && { files: files.map((item) => currentFile(services, delivery, item)) }),
  }
}

const currentTrack = (services: Signer, { domain }: Delivery, track: Json): Json => ({
  ...track,
  base_url: `${deliveryRoot(services, domain)}/${track.base_path}`,
})

function currentFile(services: Signer, delivery: Delivery, file: unknown): unknown {
  if (!isObject(file)) return file
  const path = file.is_success === true && typeof file.path === 'string' ? file.path : null
  return { ...file, ...fileAddresses(services, delivery, { path, data: file.data }) }
}
