import { z } from 'zod'
import { hexColor, requiredText, text, uuid } from '../../platform/input.ts'

const share = z.number().min(0).max(1)

/** Colours of a cover, largest area first (contract, section 8). */
export const theme = z.array(z.object({ hex: hexColor, area: share, lightness: share, saturation: share })).max(64)

export const updateOrganizationInput = z.object({
  name: requiredText(255).optional(),
  theme: theme.optional(),
  isThemeOverridable: z.boolean().optional(),
  isCoverOverridable: z.boolean().optional(),
  playerColor: hexColor.optional(),
  playerSubtitle: text(1024).optional(),
})

export const organizationId = z.object({ organizationId: uuid })

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const HOST = new RegExp(`^(?=[^:]{1,253}(:|$))${LABEL}(\\.${LABEL})*(:\\d{1,5})?$`)

/** A host as an address holds it, with its port where that is not the usual one; in lower case. */
const host = z
  .string()
  .max(259)
  .transform((value) => value.toLowerCase())
  .refine(isHost, 'must be a host, or host:port, such as cdn.example.com')

/** What looks like an IPv4 address is one, and not a short form of another. */
function isHost(value: string): boolean {
  const url = HOST.test(value) && URL.canParse(`http://${value}`) ? new URL(`http://${value}`) : null
  const [name, port] = value.split(':')
  return url?.hostname === name && (port === undefined || (Number(port) > 0 && String(Number(port)) === port))
}

export const updateDomainInput = z.object({ domain: host })
