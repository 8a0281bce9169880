import type { Context, Services } from '../../platform/context.ts'
import { signDelivery } from '../../platform/signing.ts'

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
  const [secret] = delivery.signingSecrets
  if (!secret) throw new Error('an organization without a signing secret')
  const issued = Math.floor(services.clock().getTime() / 1000)
  return `${deliveryRoot(services, delivery.domain)}/${path}?verify=${signDelivery(secret, `/${path}`, issued)}`
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
