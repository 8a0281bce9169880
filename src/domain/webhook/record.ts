import { z } from 'zod'
import { isPrivateName, isPublicAddress, literalAddress } from '../../platform/http/address.ts'
import { createdAt, flag, id, list, text, time, updatedAt } from '../../platform/schema/fields.ts'
import { createShape, updateShape } from '../../platform/schema/record.ts'
import { textRule } from '../../platform/schema/rules.ts'
import { eventTypeList } from '../event/record.ts'

const MAX_URL_CHARS = 2048

/** Contract, section 7. */
export const webhookFields = {
  id: id({ description: 'ID of the endpoint. UUID.' }),
  organizationId: id({ description: 'ID of the organization that it belongs to.' }),
  url: text({
    description: 'HTTPS URL that events are posted to, without user, password and fragment. Not a private address.',
    max: MAX_URL_CHARS,
    required: true,
    inputs: ['create', 'update'],
  }),
  eventTypes: list('EventType', eventTypeList, {
    description: 'Types of events that are sent to it. Empty for all types.',
    inputs: ['create', 'update'],
  }),
  disabledAt: time({ description: 'Time at which it was disabled.', nullable: true, nullMeans: 'Null while enabled.' }),
  disabledReason: text({
    description:
      'Why it was disabled: `administrator`, `gone` (it answered 410) or `failing` (no success for five days).',
    nullable: true,
    nullMeans: 'Null while enabled.',
  }),
  failingSince: time({
    description: 'Time since which every delivery has failed.',
    nullable: true,
    nullMeans: 'Null while deliveries succeed.',
  }),
  createdAt,
  updatedAt,
}

/** Derived from `disabledAt`. */
export const isEnabled = flag({
  description:
    'Whether events are sent to it. Disabling gives up pending deliveries, more than 2,000 within minutes; until then ' +
    'nothing is sent. After enabling, redeliverFailedWebhooks sends the missed events.',
  inputs: ['create', 'update'],
})

/** Derived from the end of each old secret. */
export const oldSecretExpiresAt = time({
  description: 'Time until which an old secret signs as well.',
  nullable: true,
  nullMeans: 'Null without an old secret.',
})

/** Fields that a client sets. */
export const webhookSettings = { ...webhookFields, isEnabled }

/**
 * The rule for URLs of endpoints. Host names are resolved and checked at every delivery.
 * @param isPrivateAllowed accept http and private addresses
 * @see contract, section 7
 */
const targetUrl = (isPrivateAllowed: boolean) =>
  textRule(MAX_URL_CHARS).superRefine((value, check) => {
    const refuse = (message: string) => check.addIssue({ code: 'custom', message })
    const url = URL.canParse(value) && !/[\s\\]/.test(value) ? new URL(value) : null
    if (!url || !/^https?:\/\/[^/]/i.test(value)) return refuse('must be an https address')
    if (url.protocol === 'http:' && !isPrivateAllowed) refuse('must be an https address')
    if (url.username || url.password || /^[^/]*\/\/[^/?#]*@/.test(value)) refuse('must not contain a user or password')
    if (value.includes('#')) refuse('must not have a fragment')
    if (!isPrivateAllowed && isPrivate(url.hostname)) refuse('must not be a private address')
  })

/** Decides by the host alone, without resolving it. */
function isPrivate(hostname: string): boolean {
  const literal = literalAddress(hostname)
  return literal ? !isPublicAddress(literal) : isPrivateName(hostname)
}

/**
 * Inputs with a URL, as the configuration allows it. `first` is the input of `updateWebhook`, where a null URL deletes
 * the endpoint.
 */
export function webhookInputs({ isWebhookPrivateAllowed }: { isWebhookPrivateAllowed: boolean }) {
  const url = targetUrl(isWebhookPrivateAllowed)
  const changes = updateShape(webhookSettings)
  return {
    create: z.object({ ...createShape(webhookSettings), url }),
    update: z.object({ ...changes, url: url.optional() }),
    first: z.object({ ...changes, url: url.nullish() }),
  }
}
type Inputs = ReturnType<typeof webhookInputs>
export type CreateWebhookEndpoint = z.output<Inputs['create']>
export type UpdateWebhookEndpoint = z.output<Inputs['update']>
export type UpdateWebhook = z.output<Inputs['first']>
