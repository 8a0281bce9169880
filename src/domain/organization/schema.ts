import { z } from 'zod'
import { hexColor, requiredText, text, uuid } from '../../platform/schema/input.ts'

const share = z.number().min(0).max(1)

/** Colours of a cover, largest area first (contract, section 8). */
export const theme = z
  .array(
    z
      .object({
        hex: hexColor.describe('The colour.'),
        area: share.describe('Its part of the picture.'),
        lightness: share.describe('From black to white.'),
        saturation: share.describe('From grey to full colour.'),
      })
      .meta({ id: 'SetCoverColor' }),
  )
  .max(64)
  .meta({ description: 'Colours of the cover, largest area first.' })

export const updateOrganizationInput = z
  .object({
    name: requiredText(255)
      .meta({ description: 'What the dashboard calls it.', examples: ['A label'] })
      .optional(),
    theme: theme.optional(),
    isThemeOverridable: z
      .boolean()
      .describe('Whether collections and tracks may bring colours of their own.')
      .optional(),
    isCoverOverridable: z
      .boolean()
      .describe('Whether collections and tracks may bring covers of their own.')
      .optional(),
    playerColor: hexColor.describe('What players are drawn in.').optional(),
    playerSubtitle: text(1024)
      .meta({ description: 'Shown below the title.', examples: ['A label'] })
      .optional(),
  })
  .meta({ id: 'UpdateOrganization' })

export const organizationId = z.object({ organizationId: uuid.describe('The organization: that of the key.') })

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

/** What an operator creates an organization from. */
export const createOrganizationInput = z.object({ name: requiredText(255), domain: host.optional() })
