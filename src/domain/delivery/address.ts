import type { Context, Services } from '../../platform/context.ts'
import { batched } from '../../platform/db/batched.ts'
import type { Reader } from '../../platform/db/query/reader.ts'
import { inTurn } from '../../platform/db/statement-limits.ts'
import { openSecret } from './secret.ts'
import { mapSiblings } from './siblings.ts'
import { DOWNLOAD_QUERY, signDelivery } from './token.ts'

/** The settings that an organization's delivery addresses derive from. */
export interface Delivery {
  domain: string
  /** As stored. The first one signs. */
  signingSecrets: string[]
}

type Signer = Pick<Services, 'config' | 'clock' | 'signing'>

/** Returns the base of an organization's delivery addresses, without a trailing slash. */
export function deliveryRoot(services: Pick<Services, 'config'>, domain: string): string {
  return services.config.deliveryUrl.replace('{org_domain}', domain)
}

/** Returns a delivery address that is valid for an hour (contract, section 6). */
export function signedUrl(services: Signer, delivery: Delivery, path: string): string {
  return `${deliveryRoot(services, delivery.domain)}/${path}?verify=${signature(services, delivery, `/${path}`)}`
}

/** Returns a delivery address that makes a browser save the file. The signature covers the download parameter. */
export function downloadUrl(services: Signer, delivery: Delivery, path: string): string {
  const target = `/${path}${DOWNLOAD_QUERY}`
  return `${deliveryRoot(services, delivery.domain)}${target}&verify=${signature(services, delivery, target)}`
}

/**
 * Returns the addresses of a file, signed now: its own, and those of its sibling files inside `data`.
 * @param path null for a file without bytes
 */
export function fileAddresses(
  services: Signer,
  delivery: Delivery,
  { path, data }: { path: string | null; data: unknown },
): { url: string | null; data: unknown } {
  const sign = (path: string) => signedUrl(services, delivery, path)
  return { url: path === null ? null : sign(path), data: mapSiblings(data, (path) => ({ url: sign(path) })) }
}

function signature(services: Signer, { signingSecrets: [secret] }: Delivery, signed: string): string {
  if (!secret) throw new Error('an organization without a signing secret')
  return signDelivery(openSecret(services, secret), signed, Math.floor(services.clock().getTime() / 1000))
}

const loaded = new WeakMap<Context, Map<string, Delivery | Promise<Delivery>>>()

/** Calls `use` with an organization's delivery settings, which are read once per request. */
export function withDelivery<T>(ctx: Context, organizationId: string, use: (delivery: Delivery) => T): T | Promise<T> {
  const deliveries = loaded.get(ctx) ?? new Map<string, Delivery | Promise<Delivery>>()
  loaded.set(ctx, deliveries)
  const delivery = deliveries.get(organizationId) ?? load(ctx, organizationId, deliveries)
  return delivery instanceof Promise
    ? delivery.then((loadedDelivery) => inTurn(ctx.signal, () => use(loadedDelivery)))
    : use(delivery)
}

function load(ctx: Context, id: string, deliveries: Map<string, Delivery | Promise<Delivery>>): Promise<Delivery> {
  const loading = readAll(ctx.reader, [id], ctx.signal).then(([delivery]) => {
    if (!delivery) throw new Error('a file without an organization')
    deliveries.set(id, delivery)
    return delivery
  })
  deliveries.set(id, loading)
  return loading
}

const readers = new WeakMap<Reader, (id: string) => Promise<Delivery | undefined>>()

/** Reads an organization's delivery settings outside of a request. Concurrent calls share a statement. */
export async function readDelivery({ reader }: Pick<Services, 'reader'>, organizationId: string): Promise<Delivery> {
  const read = readers.get(reader) ?? batched((ids: readonly string[]) => readAll(reader, ids))
  readers.set(reader, read)
  const delivery = await read(organizationId)
  if (!delivery) throw new Error('a file without an organization')
  return delivery
}

/** @returns in the order of the ids; undefined for an unknown one */
async function readAll(reader: Reader, ids: readonly string[], signal?: AbortSignal) {
  const select = { id: true, domain: true, signingSecrets: true } as const
  const organizations = await reader.readMany(
    'Organization',
    { where: { id: { in: [...new Set(ids)] } }, select },
    signal,
  )
  const byId = new Map<string, Delivery>(organizations.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id))
}
