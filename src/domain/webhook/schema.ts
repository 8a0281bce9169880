import { z } from 'zod'
import { isPrivateName, isPublicAddress, literalAddress } from '../../platform/http/address.ts'
import { text, uuid } from '../../platform/schema/input.ts'
import { eventTypeList } from '../event/record.ts'

const MAX_URL_CHARS = 2048

/**
 * Where events may be sent. Names are resolved, and what they resolve to is judged, at every delivery.
 * @param isPrivateAllowed also http, and addresses that are not of the public internet
 * @see contract, section 7
 */
const targetUrl = (isPrivateAllowed: boolean) =>
  text(MAX_URL_CHARS).superRefine((value, check) => {
    const refuse = (message: string) => check.addIssue({ code: 'custom', message })
    const url = URL.canParse(value) && !/[\s\\]/.test(value) ? new URL(value) : null
    if (!url || !/^https?:\/\/[^/]/i.test(value)) return refuse('must be an https address')
    if (url.protocol === 'http:' && !isPrivateAllowed) refuse('must be an https address')
    if (url.username || url.password || /^[^/]*\/\/[^/?#]*@/.test(value)) refuse('must not hold a user or password')
    if (value.includes('#')) refuse('must not have a fragment')
    if (!isPrivateAllowed && isPrivate(url.hostname)) refuse('must not be a private address')
  })

/** Said by the host itself. */
function isPrivate(hostname: string): boolean {
  const literal = literalAddress(hostname)
  return literal ? !isPublicAddress(literal) : isPrivateName(hostname)
}

/** Inputs that name a target, by what the operator allows. */
export function webhookInputs({ isWebhookPrivateAllowed }: { isWebhookPrivateAllowed: boolean }) {
  const url = targetUrl(isWebhookPrivateAllowed)
  const rest = { eventTypes: eventTypeList.optional(), isEnabled: z.boolean().optional() }
  return {
    create: z.object({ url, ...rest }),
    update: z.object({ url: url.optional(), ...rest }),
    /** Null removes the endpoint. */
    first: z.object({ url: url.nullish(), ...rest }),
  }
}

export const webhookEndpointId = z.object({ webhookEndpointId: uuid })
