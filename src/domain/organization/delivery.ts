import type { Context, Services } from '../../platform/context.ts'
import { DOWNLOAD_QUERY, signDelivery } from '../../platform/identity/signing.ts'

/** What an organization's delivery addresses are made of. */
export interface Delivery {
  domain: string
  signingSecrets: string[]
}

/** Where an organization's files are delivered, without a slash at the end. */
export function deliveryRoot(services: Pick<Services, 'config'>, domain: string): string {
  return services.config.deliveryUrl.replace('{org_domain}', domain)
}

/** A delivery address that works for an hour from now (contract, section 6). */
export function signedUrl(services: Pick<Services, 'config' | 'clock'>, delivery: Delivery, path: string): string {
  return `${deliveryRoot(services, delivery.domain)}/${path}?verify=${signature(services, delivery, `/${path}`)}`
}

/** The same for a file that a browser shall save: what asks for it stands in the address before `verify`, and is signed. */
export function downloadUrl(services: Pick<Services, 'config' | 'clock'>, delivery: Delivery, path: string): string {
  const asked = `/${path}${DOWNLOAD_QUERY}`
  return `${deliveryRoot(services, delivery.domain)}${asked}&verify=${signature(services, delivery, asked)}`
}

function signature({ clock }: Pick<Services, 'clock'>, { signingSecrets: [secret] }: Delivery, signed: string): string {
  if (!secret) throw new Error('an organization without a signing secret')
  return signDelivery(secret, signed, Math.floor(clock().getTime() / 1000))
}

const loaded = new WeakMap<Context, Map<string, Delivery | Promise<Delivery>>>()

/**
 * Makes something of an organization's delivery settings, which are read once for a whole request however many
 * files it shows.
 */
export function withDelivery<T>(ctx: Context, organizationId: string, make: (delivery: Delivery) => T): T | Promise<T> {
  const known = loaded.get(ctx) ?? new Map<string, Delivery | Promise<Delivery>>()
  loaded.set(ctx, known)
  const present = known.get(organizationId) ?? load(ctx, organizationId, known)
  return present instanceof Promise ? present.then(make) : make(present)
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
