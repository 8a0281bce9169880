// Usage over /v1: tables as JSON and as CSV of any length; storage and processing.
import { beforeAll, describe, expect, test } from 'bun:test'
import { writeCsv } from '../../../src/platform/http/csv.ts'
import { sql } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { type Everybody, everybody } from '../../support/everybody.ts'
import { type Processed, processed } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'

const ROWS = 25_000

const service = useTestService()
let who: Everybody
let processedTrack: Processed
beforeAll(async () => {
  who = await everybody(service)
  processedTrack = await processed(service, await tone(1), 'exported.wav')
  await sql(
    service,
    `INSERT INTO play_event (id, organization_id, created_at, collection_id, track_id, key_id, variant_id, exclusion)
     SELECT gen_random_uuid(), $1, '2024-01-01T12:00:00Z', $2, gen_random_uuid(), $3, $3,
       CASE WHEN n % 2 = 0 THEN 'bot'::play_exclusion END
     FROM generate_series(1, $4::int) n`,
    [who.organizationId, who.collectionId, crypto.randomUUID(), ROWS],
  )
})

const csv = (query: string, key = who.api) => service.v1('GET', `/usage${query}`, { key })
const linesOf = (text: string) => {
  expect(text).toEndWith('\r\n')
  return text.slice(0, -2).split('\r\n')
}
const wide = '?from=2024-01-01&to=2024-01-02'

describe('CSV', () => {
  test('has a header and the requested columns', async () => {
    const answer = await csv(`${wide}&group_by=day,collection&format=csv`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ])
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="usage.csv"')
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(linesOf(answer.text)).toEqual([
      'day,collection_id,requests,listens',
      `2024-01-01,${who.collectionId},${ROWS},${ROWS / 2}`,
    ])
    expect(linesOf((await csv('?from=2023-01-01&to=2023-01-02&group_by=creator&format=csv')).text)).toEqual([
      'creator_id,requests,listens',
    ])
  })

  test('has the names of records where they are asked for', async () => {
    const { id } = processedTrack
    const { db } = service.services
    const { organizationId } = await db.track.update({ where: { id }, data: { playerTitle: '=A, "song"' } })
    const text = `INSERT INTO play_event (id, organization_id, created_at, collection_id, track_id, key_id, variant_id)
      SELECT gen_random_uuid(), $1::uuid, '2023-05-01T12:00:00Z', $2::uuid, track, $3::uuid, id
      FROM variant, unnest($4::uuid[]) track WHERE organization_id = $1::uuid AND index = 'hq'`
    const unknown = '00000000-0000-4000-8000-000000000000'
    const values = [organizationId, service.demo.collection_id, unknown, [unknown, id]]
    await sql(service, text, values)
    const query = '?from=2023-05-01&to=2023-05-02&group_by=collection,track,key,variant&format=named_csv'
    const lines = linesOf((await csv(query, service.demo.api_key)).text)
    expect(lines[0]).toBe(
      'collection_id,collection_title,track_id,track_title,key_id,key_title,variant_id,variant_index,requests,listens',
    )
    const named = (line = '') => line.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    expect(lines.slice(1).map(named)).toEqual([
      'ID,First collection,ID,,ID,,ID,hq,1,1',
      `ID,First collection,ID,"'=A, ""song""",ID,,ID,hq,1,1`,
    ])
  })

  test('is not read for HEAD, which has the same headers', async () => {
    const client = await service.services.pool.connect()
    const path = `/usage${wide}&group_by=day&format=csv`
    try {
      await client.query('BEGIN; LOCK TABLE play_event, play_day')
      const head = await service.v1('HEAD', path, { key: who.api })
      expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', null])
      await client.query('ROLLBACK')
      const get = await service.v1('GET', path, { key: who.api })
      for (const name of ['content-type', 'content-disposition', 'cache-control']) {
        expect(head.headers.get(name), name).toBe(get.headers.get(name))
      }
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })

  test('streams every row of a table that is too large for JSON', async () => {
    const url = `${service.services.config.publicUrl}/v1/usage${wide}&group_by=track&format=csv`
    const response = await service.gateway(new Request(url, { headers: { authorization: `Bearer ${who.api}` } }))
    const parts: string[] = []
    const decoder = new TextDecoder()
    for await (const part of response.body ?? []) parts.push(decoder.decode(part, { stream: true }))
    expect(parts.length).toBeGreaterThan(20)
    const rows = linesOf(parts.join('')).slice(1)
    expect(rows).toHaveLength(ROWS)
    expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(ROWS)
    expect(rows).toEqual(rows.toSorted())
    expect((await csv(`${wide}&group_by=track`)).json.code).toBe('invalid_input')
  })

  test('frees the connection of a client that disconnects or stops reading', async () => {
    const url = `${service.services.config.publicUrl}/v1/usage${wide}&group_by=track&format=csv`
    const ask = () => service.gateway(new Request(url, { headers: { authorization: `Bearer ${who.api}` } }))
    const slow = await Promise.all(Array.from({ length: 4 }, ask))
    const fifth = await csv(`${wide}&group_by=track&format=csv`)
    expect([fifth.status, fifth.json.code, fifth.headers.get('retry-after')]).toEqual([503, 'unavailable', '10'])
    await Promise.all(slow.map((response) => response.body?.cancel()))
    expect((await csv(`${wide}&group_by=day&format=csv`)).status).toBe(200)
    const { pool } = service.services
    expect(pool.totalCount - pool.idleCount).toBe(0)
  })

  test('rejects invalid input like JSON', async () => {
    expect((await csv('?format=xml')).json).toMatchObject({ message: 'format: must be one of json, csv, named_csv' })
    expect((await csv('?format=csv&group_by=day,moon')).json).toMatchObject({ code: 'invalid_input' })
    expect((await csv('?format=csv&from=2024-01-02&to=2024-01-01')).json).toMatchObject({
      message: 'to: must be after from',
    })
    expect((await csv('?format=csv', who.uploader)).status).toBe(403)
  })

  test('shows a scoped key its part', async () => {
    const total = async (key: string) => linesOf((await csv(`${wide}&format=csv`, key)).text)[1]
    expect(await total(who.collectionKey)).toBe(`${ROWS},${ROWS / 2}`)
    expect(await total(who.creatorKey)).toBe('0,0')
    expect(await total(who.otherApi)).toBe('0,0')
  })

  test('quotes fields, and escapes formulas', () => {
    const text = writeCsv([['a,b', 'say "x"', null, '=1+1', '+1', '-1', '@a', '\tx', 'two\r\nlines', 5]])
    expect(text).toBe(`"a,b","say ""x""",,'=1+1,'+1,'-1,'@a,'\tx,"two\r\nlines",5\r\n`)
  })
})

describe('storage and processing', () => {
  test('counts the bytes of the recording and of the finished files', async () => {
    const fileBytes = Object.values(processedTrack.files).reduce((sum, file) => sum + (file.size ?? 0), 0)
    const sourceBytes = (await tone(1)).byteLength
    const { usage } = (await service.v1('GET', '/usage/storage?group_by=creator,collection')).json
    expect(usage).toEqual([
      { creator_id: null, collection_id: who.collectionId, source_bytes: sourceBytes, file_bytes: fileBytes },
    ])
    const answer = await csv('/storage?format=csv')
    expect(linesOf(answer.text)).toEqual(['source_bytes,file_bytes', `${sourceBytes},${fileBytes}`])
    const elsewhere = (await service.v1('GET', '/usage/storage', { key: who.creatorKey })).json.usage
    expect(elsewhere).toEqual([{ creator_id: null, collection_id: null, source_bytes: 0, file_bytes: 0 }])
  })

  test('counts the seconds of succeeded jobs, also after the jobs are deleted', async () => {
    const job = await service.services.db.job.findFirstOrThrow({
      where: { trackId: processedTrack.id, kind: 'process_track' },
    })
    const seconds = ((job.finishedAt?.getTime() ?? 0) - (job.startedAt?.getTime() ?? 0)) / 1000
    expect(seconds).toBeGreaterThan(0)
    const day = job.finishedAt?.toISOString().slice(0, 10)
    const row = { day, creator_id: null, collection_id: who.collectionId, track_id: processedTrack.id }
    const read = async (key?: string) =>
      (await service.v1('GET', '/usage/processing?group_by=day,creator,collection,track', { key })).json.usage
    expect(await read()).toEqual([{ ...row, jobs: 1, seconds, transcribed_seconds: 0 }])
    expect(await read(who.creatorKey)).toEqual([])
    const failing = { organizationId: who.organizationId, kind: 'process_track' as const, trackId: processedTrack.id }
    const { id } = await service.services.db.job.create({
      data: { ...failing, state: 'running', startedAt: new Date() },
    })
    await service.services.db.job.update({ where: { id }, data: { state: 'failed', finishedAt: new Date() } })
    await sql(service, 'DELETE FROM job')
    expect(await read()).toEqual([{ ...row, jobs: 1, seconds, transcribed_seconds: 0 }])
    expect((await service.v1('GET', '/usage/processing?to=2024-01-01')).json.usage).toMatchObject([
      { jobs: 0, seconds: 0, transcribed_seconds: 0 },
    ])
    await sql(
      service,
      `INSERT INTO processing_time (job_id, organization_id, finished_at, seconds)
       SELECT gen_random_uuid(), $1, '2023-06-01', n FROM unnest(ARRAY[0.1, 0.2, 0.7]) n`,
      [who.organizationId],
    )
    const range = '?from=2023-06-01&to=2023-06-02&group_by=day&group_by=track'
    expect((await service.v1('GET', `/usage/processing${range}`, { key: who.api })).json.usage).toEqual([
      {
        day: '2023-06-01',
        creator_id: null,
        collection_id: null,
        track_id: null,
        jobs: 3,
        seconds: 1,
        transcribed_seconds: 0,
      },
    ])
  })
})
