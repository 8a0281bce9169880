import { beforeAll, describe, expect, test } from 'bun:test'
import {
  createCollection,
  createForeign,
  createTrack,
  makeKey,
  makeReady,
  UNKNOWN_ID,
  unique,
} from '../../spec/support.ts'
import { codeOf, data, hire, post, signIn, sql } from '../../support/administrators.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService()
let owner: string
/** A track of the demo collection and one of another, each with a job for one file; and a cover of the collection. */
const ids = { track: '', job: '', variant: '', otherCollection: '', otherTrack: '', otherJob: '', coverJob: '' }
beforeAll(async () => {
  owner = (await signIn(service)).token
  ids.otherCollection = (await createCollection(service)).id
  ids.track = (await createTrack(service)).id
  ids.otherTrack = (await createTrack(service, { collection_id: ids.otherCollection })).id
  const add = `mutation ($id: ID!, $input: AddTrackVariantInput!) { addTrackVariant(trackId: $id, input: $input) {
    jobId variant { id } job { id state kind attempts error durationSeconds track { id } variant { id } } } }`
  for (const id of [ids.track, ids.otherTrack]) {
    await makeReady(service, id)
    const input = { variantTypeId: 'transcode', index: unique('v') }
    const { addTrackVariant: added } = await data(service, add, { id, input }, service.demo.api_key)
    const { jobId, variant, job } = added
    const fresh = { state: 'QUEUED', kind: 'PROCESS_VARIANT', attempts: 0, error: null, durationSeconds: null }
    expect(job).toEqual({ id: jobId, ...fresh, track: { id }, variant })
    Object.assign(ids, id === ids.track ? { job: jobId, variant: variant.id } : { otherJob: jobId })
  }
  const cover = { organizationId: service.demo.organization_id, kind: 'process_collection_cover' as const }
  ids.coverJob = (await service.services.db.job.create({ data: { ...cover, collectionId: ids.otherCollection } })).id
})

const LIST = `query ($filter: JobFilter, $orderBy: JobOrder) { jobs(filter: $filter, orderBy: $orderBy) {
  totalCount nodes { id } } }`
async function list(filter: object, key = owner): Promise<string[]> {
  const { jobs } = await data(service, LIST, { filter }, key)
  expect(jobs.totalCount).toBe(jobs.nodes.length)
  return jobs.nodes.map(({ id }: Json) => id)
}
const READ = 'query ($id: ID!) { job(id: $id) { id batchId collection { id } startedAt finishedAt durationSeconds } }'
const RETRY = 'mutation ($id: ID!) { retryJob(id: $id) { job { id kind state } } }'
const set = (id: string, changes: string) => sql(service, `UPDATE job SET ${changes} WHERE id = $1`, [id])

describe('jobs', () => {
  test('are found by each filter, newest first', async () => {
    expect(await list({})).toEqual([ids.coverJob, ids.otherJob, ids.job])
    expect(await list({ trackId: ids.track })).toEqual([ids.job])
    expect(await list({ variantId: ids.variant })).toEqual([ids.job])
    expect(await list({ collectionId: ids.otherCollection })).toEqual([ids.coverJob, ids.otherJob])
    expect(await list({ kind: ['PROCESS_COLLECTION_COVER', 'PROCESS_TRACK'] })).toEqual([ids.coverJob])
    await set(ids.job, `state = 'running'`)
    expect(await list({ state: ['RUNNING'] })).toEqual([ids.job])
    expect(await list({ state: ['RUNNING'], trackId: ids.otherTrack })).toEqual([])
    expect(await list({ batchId: UNKNOWN_ID })).toEqual([])
    const orderBy = { field: 'CREATED_AT', direction: 'ASC' }
    expect((await data(service, LIST, { orderBy }, owner)).jobs.nodes[0].id).toBe(ids.job)
  })

  test('show their duration and are fields of their track', async () => {
    await set(ids.job, `state = 'done', started_at = '2026-01-01T00:00:00Z', finished_at = '2026-01-01T00:00:01.500Z'`)
    const query = 'query ($id: ID!) { track(id: $id) { jobs { totalCount nodes { id error } } } }'
    const read = async () => ({
      ...(await data(service, READ, { id: ids.job }, owner)),
      ...(await data(service, query, { id: ids.track }, owner)),
    })
    const times = {
      startedAt: '2026-01-01T00:00:00.000Z',
      finishedAt: '2026-01-01T00:00:01.500Z',
      durationSeconds: 1.5,
    }
    const expected = {
      job: { id: ids.job, batchId: null, collection: null, ...times },
      track: { jobs: { totalCount: 1, nodes: [{ id: ids.job, error: null }] } },
    }
    expect([await read(), await read()]).toEqual([expected, expected])
  })

  test('are visible to keys that see their subject', async () => {
    const scoped = await makeKey(service, 'api', { collectionId: ids.otherCollection })
    expect(await list({}, scoped)).toEqual([ids.coverJob, ids.otherJob])
    expect(await list({ trackId: ids.track }, scoped)).toEqual([])
    const { key: foreign } = await createForeign(service)
    expect(await list({}, foreign)).toEqual([])
    for (const key of [scoped, foreign]) {
      for (const query of [READ, RETRY]) {
        expect(codeOf(await post(service, query, { id: ids.job }, { key }))).toBe('not_found')
      }
    }
    expect(codeOf(await post(service, READ, { id: 'x' }, { key: owner }))).toBe('invalid_input')
    expect(codeOf(await post(service, '{ batches { totalCount } }', {}, { key: scoped }))).toBe('forbidden')
    const batch = `query { batch(id: "${UNKNOWN_ID}") { id } }`
    expect(codeOf(await post(service, batch, {}, { key: scoped }))).toBe('forbidden')
    expect(codeOf(await post(service, batch, {}, { key: service.demo.api_key }))).toBe('not_found')
    expect(codeOf(await post(service, LIST, {}, { key: service.demo.share_key }))).toBe('forbidden')
  })
})

describe('retryJob', () => {
  test('repeats a failed job', async () => {
    for (const state of ['queued', 'running', 'done', 'cancelled']) {
      await set(ids.coverJob, `state = '${state}'`)
      expect(codeOf(await post(service, RETRY, { id: ids.coverJob }, { key: owner }))).toBe('invalid_input')
    }
    await set(ids.coverJob, `state = 'failed'`)
    const { retryJob } = await data(service, RETRY, { id: ids.coverJob }, owner)
    expect(retryJob.job).toMatchObject({ kind: 'PROCESS_COLLECTION_COVER', state: 'QUEUED' })
    expect(retryJob.job.id).not.toBe(ids.coverJob)
  })

  test('rejects viewers, whole tracks, deleted tracks and tracks without a recording', async () => {
    await set(ids.otherJob, `state = 'failed'`)
    const { token } = await signIn(service, await hire(service, owner, 'viewer'))
    const retry = async (key = owner) => codeOf(await post(service, RETRY, { id: ids.otherJob }, { key }))
    expect(await retry(token)).toBe('forbidden')
    await set(ids.otherJob, `kind = 'process_track', variant_id = NULL`)
    expect(await retry()).toBe('invalid_input')
    await set(ids.otherJob, `kind = 'process_variant', variant_id = (SELECT id FROM variant WHERE index = 'hq')`)
    const { db } = service.services
    const where = { id: ids.otherTrack }
    const reason = { statusCode: 'a', statusText: 'b' }
    await db.track.update({ where, data: { status: 'error', ...reason } })
    expect(await retry()).toBe('no_source_file')
    await db.track.update({ where, data: { deletedAt: new Date() } })
    expect(await retry()).toBe('not_found')
  })
})
