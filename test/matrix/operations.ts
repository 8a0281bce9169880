import { createHash } from 'node:crypto'
import { insertAdministrator } from '../../src/domain/access/administrator/service.ts'
import { issueKey } from '../../src/domain/access/key/keys.ts'
import { sealSecret } from '../../src/domain/delivery/secret.ts'
import { insertVariant, resolveProps } from '../../src/domain/variant/service.ts'
import type { VariantType } from '../../src/platform/db/generated/client/enums.ts'
import type { TestService } from '../support/service.ts'
import { type Holdings, readyTrack } from '../support/viewers.ts'

/** The records that an operation is tried on; created for each viewer where a trial uses them up. */
export interface Fixtures extends Holdings {
  service: TestService
  organization: string
  organizationVariant: string
  newCreator: () => Promise<string>
  newCollection: () => Promise<string>
  newTrack: (where?: 'inside' | 'outside') => Promise<string>
  /** A track with a former recording and a new one that waits for its bytes; the ID of either. */
  newReplaced: (where: 'inside' | 'outside', other: 'former' | 'new') => Promise<[track: string, recording: string]>
  newTranslated: (where: 'inside' | 'outside') => Promise<[track: string, language: string]>
  newSession: () => Promise<string>
  newPlaySession: () => Promise<string>
  newKey: (kind: 'api' | 'player' | 'share') => Promise<string>
  newPerson: () => Promise<string>
  newInvitation: () => Promise<string>
  newVariant: (type?: VariantType) => Promise<string>
  newName: () => string
  newJob: (where?: 'inside' | 'outside') => Promise<string>
  newBatch: () => Promise<string>
  /** Of records outside the scopes. */
  newEvent: () => Promise<string>
  newEndpoint: () => Promise<string>
  newDelivery: () => Promise<string>
  /** One that verifies and does not sign. */
  newSecret: () => Promise<string>
  /** Leaves the one that signs. */
  clearSecrets: (organization: string) => Promise<string>
}

export async function createFixtures(service: TestService, holdings: Holdings): Promise<Fixtures> {
  const { db } = service.services
  const organization = service.demo.organization_id
  let names = 0
  const newName = () => `matrix-${++names}`
  const variant = await db.variant.findFirstOrThrow({ where: { organizationId: organization, index: 'hq' } })
  const newEvent = async () => {
    const of = { collectionId: holdings.otherCollection, creatorId: holdings.otherCreator }
    const data = { organizationId: organization, type: 'collection.updated', data: {}, ...of }
    return (await db.event.create({ data })).id
  }
  const newEndpoint = async () => {
    const secrets = [service.services.signing.seal('whsec_c2VjcmV0')]
    const data = { organizationId: organization, url: `https://example.com/${newName()}`, secrets }
    return (await db.webhookEndpoint.create({ data })).id
  }
  const { signingSecrets } = await db.organization.findUniqueOrThrow({ where: { id: organization } })
  const setSecrets = (...more: string[]) =>
    db.organization.update({
      where: { id: organization },
      data: { signingSecrets: [...signingSecrets, ...more.map((secret) => sealSecret(service.services, secret))] },
    })
  const newTrack: Fixtures['newTrack'] = (where = 'inside') =>
    where === 'inside'
      ? readyTrack(service, holdings.collection, holdings.creator)
      : readyTrack(service, holdings.otherCollection, holdings.otherCreator)
  return {
    ...holdings,
    service,
    organization,
    organizationVariant: variant.id,
    newName,
    newEvent,
    newEndpoint,
    newJob: async (where = 'inside') => {
      const trackId = where === 'inside' ? holdings.track : holdings.otherTrack
      const data = { organizationId: organization, kind: 'process_variant', state: 'failed', trackId } as const
      return (await db.job.create({ data: { ...data, variantId: variant.id, finishedAt: new Date() } })).id
    },
    newBatch: async () => (await db.batch.create({ data: { organizationId: organization, variantId: variant.id } })).id,
    newDelivery: async () => {
      const [endpointId, eventId] = [await newEndpoint(), await newEvent()]
      return (await db.webhookDelivery.findFirstOrThrow({ where: { endpointId, eventId } })).id
    },
    newSecret: async () => {
      const secret = newName()
      await setSecrets(secret)
      return createHash('sha256').update(secret).digest('hex').slice(0, 16)
    },
    clearSecrets: async (id) => {
      await setSecrets()
      return id
    },
    newCreator: async () =>
      (await service.v1('POST', '/creator', { body: { organization_index: newName() } })).json.creator_id,
    newCollection: async () =>
      (await service.v1('POST', '/collection', { body: { title: newName() } })).json.collection_id,
    newTrack,
    newReplaced: async (where, other) => {
      const owners =
        where === 'inside'
          ? ([holdings.collection, holdings.creator] as const)
          : ([holdings.otherCollection, holdings.otherCreator] as const)
      const replacesId = await readyTrack(service, ...owners)
      const id = await readyTrack(service, ...owners)
      const ended = { replacedAt: new Date(), deletedAt: new Date() }
      const bytes = {
        state: 'done',
        size: 1,
        sha256: 'a'.repeat(64),
        contentType: 'audio/mpeg',
        index: 'hq',
        recipe: {},
      } as const
      const place = { path: `${newName()}.mp3`, storageKey: newName(), fileName: 'a.mp3', completedAt: new Date() }
      const file = { organizationId: organization, trackId: replacesId, variantId: variant.id, props: {} }
      await db.trackFile.create({ data: { ...file, ...bytes, ...place } })
      await db.track.update({ where: { id }, data: { replacesId, ...(other === 'former' && ended) } })
      return [replacesId, id]
    },
    newTranslated: async (where) => {
      const trackId = await newTrack(where)
      await db.translation.create({ data: { trackId, language: 'de', text: 'a', form: 'txt' } })
      return [trackId, 'de']
    },
    newSession: async () =>
      (await service.v1('POST', '/upload_session', { body: { collection_id: holdings.collection } })).json
        .upload_session_id,
    newPlaySession: async () =>
      (
        await service.v1('POST', '/play_session/collection', {
          body: { collection_id: holdings.collection, is_downloadable: true },
        })
      ).json.play_session_id,
    newKey: async (kind) => {
      const data = { title: newName(), variantId: kind === 'share' ? variant.id : null }
      return (await issueKey(service.services, organization, kind, data)).record.id
    },
    newPerson: async () =>
      (await insertAdministrator(service.services, organization, { email: `${newName()}@example.com`, role: 'viewer' }))
        .administrator.id,
    newInvitation: async () => {
      const { id: createdById } = await db.administrator.findFirstOrThrow({ where: { organizationId: organization } })
      const [email, expiresAt] = [`${newName()}@example.com`, new Date(Date.now() + 60_000)]
      const hash = createHash('sha256').update(email).digest('hex')
      const data = { organizationId: organization, createdById, email, role: 'viewer', hash, expiresAt } as const
      return (await db.invitation.create({ data })).id
    },
    newVariant: async (type = 'transcode') => {
      const data = {
        organizationId: organization,
        trackId: null,
        type,
        index: newName(),
        props: resolveProps(type, {}),
      }
      return (await insertVariant(db, data)).id
    },
  }
}

/**
 * Who may, one letter for each viewer in the order of `viewerNames`:
 * o may · u is not known · f may not · n must not learn that it is there
 */
export const rights = {
  //            no one, api, collection, creator, uploader, player, share, owner, admin, viewer, foreign key, owner
  anybody: 'oooooooooooo',
  /** Each sees their own. */
  ownList: 'uooofffooooo',
  readInside: 'uooofffooonn',
  readOutside: 'uonnfffooonn',
  writeInside: 'uooofffoofnn',
  writeOutside: 'uonnfffoofnn',
  /** Listening, which player keys are for. */
  playInside: 'uooofofoofnn',
  playOutside: 'uonnfofoofnn',
  /** Operations that no key with a scope can ever do. */
  wholeRead: 'uonnfffooonn',
  wholeWrite: 'uofffffoofoo',
  wholeWriteOne: 'uofffffoofnn',
  dashboardRead: 'uffffffooofo',
  dashboardReadOne: 'uffffffooofn',
  dashboard: 'uffffffooffo',
  dashboardOne: 'uffffffooffn',
  owners: 'uffffffofffo',
  ownersOne: 'uffffffofffn',
} as const

export interface Operation {
  field: string
  /** Which of several ways to ask it. */
  way?: string
  kind: 'query' | 'mutation'
  /** The field with its arguments and a selection. */
  text: (fixtures: Fixtures) => string | Promise<string>
  may: string
  /** Codes of refusals other than those for a lack of rights: a viewer that receives one may do the operation. */
  beyond?: string[]
}
