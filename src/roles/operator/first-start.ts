import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { insertAdministrator } from '../../domain/access/administrator/service.ts'
import { issueKey } from '../../domain/access/key/keys.ts'
import { createOrganization } from '../../domain/organization/service.ts'
import { insertVariant, resolveProps } from '../../domain/variant/service.ts'
import type { Services } from '../../platform/context.ts'
import type { VariantType } from '../../platform/db/generated/client/enums.ts'

/** What the first start writes to DATA_DIR/credentials.json (operating.md). */
export interface Credentials {
  base_url: string
  graphql_url: string
  edge_url: string
  organization_id: string
  collection_id: string
  api_key: string
  share_key: string
  admin: { email: string; password: string }
}

/** Organization-wide variants of the demo organization (operating.md). */
const demoVariants: [index: string, type: VariantType, props: object][] = [
  ['hq', 'transcode', { codec: 'aac', bitrate: 192 }],
  ['lq', 'transcode', { codec: 'opus', bitrate: 64 }],
  ['preview', 'preview', { codec: 'mp3', bitrate: 128, preview_seconds: 30 }],
  ['waveform', 'levels', { num_samples: 320 }],
  ['original', 'original', {}],
  ['cover', 'cover', {}],
]

/** Any number: of several processes on one empty database, one makes the demo. */
const FIRST_START_LOCK = 7_210_995

export const credentialsFile = (dataDir: string) => join(dataDir, 'credentials.json')

/**
 * On an empty database makes the organization "Demo" with all that a first upload needs, in one transaction.
 * @returns the credentials when they were made now, else null
 */
export async function makeDemo(services: Services): Promise<Credentials | null> {
  const { config } = services
  const made = await services.db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${FIRST_START_LOCK})`
    if (await tx.organization.findFirst({ select: { id: true } })) return null
    const inside = { ...services, db: tx as unknown as Services['db'] }
    const { id: organizationId } = await createOrganization(inside, 'Demo')
    const variants = []
    for (const [index, type, props] of demoVariants) {
      variants.push(
        await insertVariant(tx, { organizationId, trackId: null, type, index, props: resolveProps(type, props) }),
      )
    }
    const collection = await tx.collection.create({ data: { organizationId, title: 'First collection' } })
    const api = await issueKey(inside, organizationId, 'api', { title: 'Demo' })
    const share = await issueKey(inside, organizationId, 'share', { title: 'Demo, hq', variantId: variants[0]?.id })
    const { administrator, password } = await insertAdministrator(inside, organizationId, {
      email: 'admin@example.com',
      role: 'owner',
    })
    const credentials: Credentials = {
      base_url: config.publicUrl,
      graphql_url: `${config.publicUrl}/graphql`,
      edge_url: config.edgeUrl,
      organization_id: organizationId,
      collection_id: collection.id,
      api_key: api.key,
      share_key: share.key,
      admin: { email: administrator.email, password },
    }
    // Written before the commit: keys that nobody has seen must not exist.
    const file = credentialsFile(config.dataDir)
    await writeFile(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
    await rename(`${file}.new`, file)
    return credentials
  })
  return made
}

/** @returns the credentials of an earlier first start, or null */
export async function readCredentials(dataDir: string): Promise<Credentials | null> {
  const text = await readFile(credentialsFile(dataDir), 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as Credentials)
}
