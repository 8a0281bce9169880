import { insertAdministrator } from '../../src/domain/access/administrator/service.ts'
import { issueKey } from '../../src/domain/access/key/keys.ts'
import { sealSecret } from '../../src/domain/delivery/secret.ts'
import { hire, signIn } from './administrators.ts'
import type { TestService } from './service.ts'

/** Tokens and keys of all kinds of clients. */
export type Everybody = Awaited<ReturnType<typeof everybody>>

/**
 * Creates a viewer of every kind: administrators of each role and keys with and without a scope in the demo
 * organization, and an owner and a key of another one.
 */
export async function everybody(service: TestService) {
  const { services, demo } = service
  const { db } = services
  const organizationId = demo.organization_id
  const collectionId = demo.collection_id
  const { creator_id: creatorId } = (await service.v1('POST', '/creator', { body: { organization_index: 'viewers' } }))
    .json
  const owner = (await signIn(service)).token as string
  const [admin, viewer] = await Promise.all(
    (['admin', 'viewer'] as const).map(async (role) => signIn(service, await hire(service, owner, role))),
  )
  const other = await db.organization.create({
    data: { name: 'Other', domain: 'x', signingSecrets: [sealSecret(services, 'other')] },
  })
  const email = 'owner@other.example.com'
  const { password } = await insertAdministrator(services, other.id, { email, role: 'owner' })
  const keyOf = async (id: string, scope: object = {}) =>
    (await issueKey(services, id, 'api', { title: 'of a test', ...scope })).key
  return {
    organizationId,
    collectionId,
    creatorId: creatorId as string,
    owner,
    admin: admin.token as string,
    viewer: viewer.token as string,
    api: demo.api_key,
    collectionKey: await keyOf(organizationId, { collectionId }),
    creatorKey: await keyOf(organizationId, { creatorId }),
    uploader: (await issueKey(services, organizationId, 'uploader', { title: 'of a test' })).key,
    otherOrganizationId: other.id,
    otherOwner: (await signIn(service, { email, password })).token as string,
    otherApi: await keyOf(other.id),
  }
}
