import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { insertAdministrator } from '../domain/access/administrator/service.ts'
import { issueKey } from '../domain/access/key/keys.ts'
import { queueAlbum } from '../domain/demo/make-album.ts'
import { createOrganization, followEdge } from '../domain/organization/service.ts'
import { insertStandardVariants } from '../domain/variant/standard.ts'
import type { Services } from '../platform/context.ts'
import { locks } from '../platform/db/locks.ts'
import { replaceFile } from '../platform/storage/durable-file.ts'

/** Content of DATA_DIR/credentials.json, which the first start writes (operating.md). */
export interface Credentials extends Addresses {
  organization_id: string
  collection_id: string
  api_key: string
  share_key: string
  admin: { email: string; password: string }
}

interface Addresses {
  base_url: string
  graphql_url: string
  edge_url: string
}

export const credentialsFile = (dataDir: string) => join(dataDir, 'credentials.json')

/**
 * Creates the organization "Demo" with everything for a first upload, in one transaction. Only on an empty database.
 * A worker makes its album after the start.
 * @returns the credentials if created by this call, else null
 */
export async function makeDemo(services: Services): Promise<Credentials | null> {
  const { config } = services
  const demo = await services.db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${locks.firstStart})`
    if (await tx.organization.findFirst({ select: { id: true } })) return null
    const inside = { ...services, db: tx as unknown as Services['db'] }
    const { id: organizationId } = await createOrganization(inside, 'Demo')
    const [hq] = await insertStandardVariants(tx, organizationId)
    const collection = await tx.collection.create({ data: { organizationId, title: 'First collection' } })
    const api = await issueKey(inside, organizationId, 'api', { title: 'Demo' })
    if (config.hasDemoAlbum) await queueAlbum(tx, { organizationId, keyId: api.record.id })
    const share = await issueKey(inside, organizationId, 'share', { title: 'Demo, hq', variantId: hq?.id })
    const { administrator, password } = await insertAdministrator(inside, organizationId, {
      email: 'admin@example.com',
      role: 'owner',
    })
    const credentials: Credentials = {
      ...toAddresses(config),
      organization_id: organizationId,
      collection_id: collection.id,
      api_key: api.key,
      share_key: share.key,
      admin: { email: administrator.email, password },
    }
    // Written before the commit, so that no keys exist that cannot be read.
    await writeCredentials(config.dataDir, credentials)
    return credentials
  })
  return demo
}

const toAddresses = ({ publicUrl, edgeUrl }: Config): Addresses => ({
  base_url: publicUrl,
  graphql_url: `${publicUrl}/graphql`,
  edge_url: edgeUrl,
})

const writeCredentials = (dataDir: string, credentials: Credentials) =>
  replaceFile(credentialsFile(dataDir), `${JSON.stringify(credentials, null, 2)}\n`)

/**
 * Updates the credentials and the automatic delivery domains to the current addresses: with the embedded database PORT,
 * EDGE_PORT and PUBLIC_URL may change between starts.
 */
export async function followAddresses(services: Services): Promise<void> {
  const { config, log } = services
  if (!config.isEmbedded) return
  const domains = await followEdge(services)
  if (domains > 0) log.info({ domains, edge: config.edgeUrl }, 'delivery domains follow the address of the edge')
  const credentials = await readCredentials(config.dataDir)
  const current = credentials && { ...credentials, ...toAddresses(config) }
  if (current && !Bun.deepEquals(current, credentials)) await writeCredentials(config.dataDir, current)
}

/** @returns the credentials of an earlier start, or null */
export async function readCredentials(dataDir: string): Promise<Credentials | null> {
  const text = await readFile(credentialsFile(dataDir), 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as Credentials)
}
