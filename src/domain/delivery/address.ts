import type { Context, Services } from '../../platform/context.ts'
import { DOWNLOAD_QUERY, signDelivery } from './token.ts'

/** The settings that an organization's delivery addresses derive from. */
export interface Delivery {
  domain: string
  signingSecrets: string[]
}

/** Returns the base of an organization's delivery addresses, without a trailing slash. */
export function deliveryRoot(services: Pick<Services, 'config'>, domain: string): string {
  return services.config.deliveryUrl.replace('{org_domain}', domain)
}

/** Returns a delivery address that is valid for an hour (contract, section 6). */
export function signedUrl(services: Pick<Services, 'config' | 'clock'>, delivery: Delivery, path: string): string {
  return `${deliveryRoot(services, delivery.domain)}/${path}?verify=${signature(services, delivery, `/${path}`)}`
}

/** Returns a delivery address that makes a browser save the file. The signature covers the download parameter. */
export function downloadUrl(services: Pick<Services, 'config' | 'clock'>, delivery: Delivery, path: string): string {
  const target = `/${path}${DOWNLOAD_QUERY}`
  return `${deliveryRoot(services, delivery.domain)}${target}&verify=${signature(services, delivery, target)}`
}

function signature({ clock }: Pick<Services, 'clock'>, { signingSecrets: [secret] }: Delivery, signed: string): string {
  if (!secret) throw new Error('an organization without a signing secret')
  return signDelivery(secret, signed, Math.floor(clock().getTime() / 1000))
}

const loaded = new WeakMap<Context, Map<string, Delivery | Promise<Delivery>>>()

/** Calls `use` with an organization's delivery settings, which are read once per request. */
export function withDelivery<T>(ctx: Context, organizationId: string, use: (delivery: Delivery) => T): T | Promise<T> {
  const known = loaded.get(ctx) ?? new Map<string, Delivery | Promise<Delivery>>()
  loaded.set(ctx, known)
  const delivery = known.get(organizationId) ?? load(ctx, organizationId, known)
  return delivery instanceof Promise ? delivery.then(use) : use(delivery)
}

function load(ctx: Context, id: string, known: Map<string, Delivery | Promise<Delivery>>): Promise<Delivery> {
  const select = { domain: true, signingSecrets: true } as const
  const loading = ctx.reader.readFirst('Organization', { where: { id }, select }, ctx.signal).then((found) => {
    if (!found) throw new Error('a file without an organization')
    known.set(id, found)
    return found
  })
  known.set(id, loading)
  return loading
}
