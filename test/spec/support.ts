import { expect } from 'bun:test'
import { issueKey } from '../../src/domain/access/key/keys.ts'
import { createOrganization } from '../../src/domain/organization/service.ts'
import type { KeyKind } from '../../src/platform/db/generated/client/enums.ts'
import { type Answer, type Call, type Json, type TestService, toAnswer } from '../support/service.ts'

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
export const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
/** ISO 8601, UTC, milliseconds, `Z` (contract, section 1). */
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
export const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000'

/** A name that no other record of the run has. */
let names = 0
export const unique = (prefix = 'name') => `${prefix}-${++names}`

/** A success in the envelope; returns its JSON. */
export function ok(answer: Answer): Json {
  expect({ status: answer.status, body: answer.json }, answer.request).toMatchObject({
    status: 200,
    body: { ok: true },
  })
  return answer.json
}

/** An error in the envelope of section 7, with the code of the contract; `field` must be named by its message. */
export function refused(answer: Answer, status: number, code: string, field?: string): Json {
  const { json, request } = answer
  expect({ status: answer.status, body: json }, request).toMatchObject({ status, body: { ok: false, code } })
  expect(json.api_request_id, request).toMatch(UUID)
  expect(json.message, request).toBeString()
  if (field) expect(json.message, request).toContain(field)
  return json
}

export async function createCreator(service: TestService, body: object = {}, call: Call = {}): Promise<Json> {
  const whole = { organization_index: unique('creator'), ...body }
  return ok(await service.v1('POST', '/creator', { ...call, body: whole })).creator
}

export async function createCollection(service: TestService, body: object = {}, call: Call = {}): Promise<Json> {
  return ok(await service.v1('POST', '/collection', { ...call, body: { title: unique('collection'), ...body } }))
    .collection
}

export async function createTrack(service: TestService, body: object = {}, call: Call = {}): Promise<Json> {
  const whole = { collection_id: service.demo.collection_id, file_name: 'song.wav', ...body }
  return ok(await service.v1('POST', '/track', { ...call, body: whole })).track
}

export async function createSession(service: TestService, body: object = {}, call: Call = {}): Promise<Json> {
  const whole = { collection_id: service.demo.collection_id, ...body }
  return ok(await service.v1('POST', '/upload_session', { ...call, body: whole }))
}

/** A key of any kind and scope, made past the API: what a test starts from. */
export async function makeKey(
  service: TestService,
  kind: KeyKind,
  data: Partial<Parameters<typeof issueKey>[3]> = {},
  organizationId = service.demo.organization_id,
): Promise<string> {
  return (await issueKey(service.services, organizationId, kind, { title: unique('key'), ...data })).key
}

/** A second tenant with one of everything that an id can name. */
export async function createForeign(service: TestService) {
  const { id: organizationId } = await createOrganization(service.services, 'Foreign')
  const key = await makeKey(service, 'api', {}, organizationId)
  const creator = await createCreator(service, {}, { key })
  const collection = await createCollection(service, { creator_id: creator.id }, { key })
  const track = await createTrack(service, { collection_id: collection.id }, { key })
  const variant = await service.services.db.variant.create({
    data: { organizationId, type: 'transcode', index: 'foreign', props: { codec: 'aac', bitrate: 128 } },
  })
  const ids = { creatorId: creator.id, collectionId: collection.id, trackId: track.id, variantId: variant.id }
  return { organizationId, key, ...ids }
}

/** A request whose body or headers no ordinary client would send. */
export async function rawRequest(service: TestService, path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = new Headers(init.headers)
  if (!headers.has('authorization')) headers.set('authorization', `Bearer ${service.demo.api_key}`)
  const request = new Request(`${service.demo.base_url}${path}`, { redirect: 'manual', ...init, headers })
  return toAnswer(await service.gateway(request))
}

/** The delivery name that a test adds a variant under. */
export const variantBody = (type: 'transcode' | 'preview', props: object = {}) => ({
  variant_type_id: type,
  index: unique('v'),
  ...props,
})

/** Makes a track look uploaded and processed without a file: where only states and recipes are looked at. */
export async function makeReady(service: TestService, trackId: string): Promise<void> {
  const sourceKey = `source/${trackId}`
  const uploaded = { uploadCompletedAt: new Date(), sourceKey, sourceSha256: 'a'.repeat(64), sourceBytes: 1 }
  await service.services.db.track.update({ where: { id: trackId }, data: { status: 'ready', ...uploaded } })
}
