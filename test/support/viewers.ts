import { insertAdministrator } from '../../src/domain/access/administrator/service.ts'
import { issueKey } from '../../src/domain/access/key/keys.ts'
import { createOrganization } from '../../src/domain/organization/service.ts'
import { hire, signIn } from './administrators.ts'
import type { TestService } from './service.ts'

/** Everybody who may ask, in the order of the matrix's columns. */
export const viewerNames = [
  'nobody',
  'api',
  'collection',
  'creator',
  'uploader',
  'player',
  'share',
  'owner',
  'admin',
  'viewer',
  'foreignKey',
  'foreignOwner',
] as const
export type ViewerName = (typeof viewerNames)[number]

/** Records inside the scopes of the keys that have one, and records outside. */
export interface Holdings {
  creator: string
  collection: string
  track: string
  otherCreator: string
  otherCollection: string
  otherTrack: string
}

/** Credentials of every kind of viewer, and the records that tell them apart. */
export async function everyViewer(service: TestService) {
  const { services, demo } = service
  const { organization_id: organizationId } = demo
  const part = async (name: string) => {
    const response = await service.v1('POST', '/creator', { body: { organization_index: name } })
    const creator: string = response.json.creator_id
    const body = { title: name, creator_id: creator }
    const collection: string = (await service.v1('POST', '/collection', { body })).json.collection_id
    return { creator, collection, track: await readyTrack(service, collection, creator) }
  }
  const [inside, outside] = [await part('inside'), await part('outside')]
  const holdings: Holdings = {
    ...inside,
    otherCreator: outside.creator,
    otherCollection: outside.collection,
    otherTrack: outside.track,
  }
  const key = async (kind: 'api' | 'uploader' | 'player', scope: object = {}) =>
    (await issueKey(services, organizationId, kind, { title: kind, ...scope })).key
  const owner = (await signIn(service)).token as string
  const person = async (role: 'admin' | 'viewer') => (await signIn(service, await hire(service, owner, role))).token
  const foreign = await createOrganization(services, 'Somebody else')
  const foreigner = await insertAdministrator(services, foreign.id, { email: 'owner@elsewhere.example', role: 'owner' })
  const credentials: Record<ViewerName, string | null> = {
    nobody: null,
    api: demo.api_key,
    collection: await key('api', { collectionId: inside.collection }),
    creator: await key('api', { creatorId: inside.creator }),
    uploader: await key('uploader'),
    player: await key('player'),
    share: demo.share_key,
    owner,
    admin: await person('admin'),
    viewer: await person('viewer'),
    foreignKey: (await issueKey(services, foreign.id, 'api', { title: 'foreign' })).key,
    foreignOwner: (await signIn(service, { email: foreigner.administrator.email, password: foreigner.password })).token,
  }
  return { credentials, holdings, foreignId: foreign.id }
}

/** A track that is ready, without a recording behind it. */
export async function readyTrack({ services, demo }: TestService, collectionId: string, creatorId: string | null) {
  const index = crypto.randomUUID().slice(0, 10)
  const { id } = await services.db.track.create({
    data: {
      organizationId: demo.organization_id,
      collectionId,
      creatorId,
      index,
      order: 0,
      status: 'ready',
      fileName: 'song.wav',
      basePath: `${demo.organization_id}/${index}`,
      uploadExpiresAt: new Date(),
      uploadCompletedAt: new Date(),
      sourceKey: `source/${index}`,
      sourceSha256: 'a'.repeat(64),
      sourceBytes: 1n,
    },
  })
  return id
}
