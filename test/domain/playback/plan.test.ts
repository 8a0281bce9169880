// The plans of the statements that admit plays, open links and count plays, made while its tables are nearly empty.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { parseKey } from '../../../src/domain/access/key/key.ts'
import { ADMIT_PLAYS, toAdmissionValues } from '../../../src/domain/playback/admission.ts'
import { RECORD_PLAYS, toPlayRecording } from '../../../src/domain/playback/ledger.ts'
import { tone } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()

/** Names the tables that a statement reads as a whole while it counts a play, after the settings. */
async function tablesRead(settings: string, statement: 'record' | 'admit' = 'record'): Promise<string[]> {
  const { id: trackId } = await processed(service, await tone(1), `${randomUUID()}.wav`)
  const hash = parseKey(service.demo.share_key)?.hash ?? ''
  const listener = { today: randomUUID(), before: randomUUID(), isBot: false, number: 1 }
  const now = new Date()
  // The planner then expects one page, and prefers to read it whole.
  await service.services.pool.query('ANALYZE')
  // A new connection, because the numbers include earlier statements of the same one.
  const client = new Client(service.services.pool.options)
  await client.connect()
  try {
    await client.query(`BEGIN; ${settings}`)
    const play = { id: randomUUID(), hash, trackId, listener, referrerHost: null, site: 'example.com', exclusion: null }
    if (statement === 'admit') {
      const values = toAdmissionValues([{ ...play, country: null, password: null }], now)
      const { rows } = await client.query({ ...ADMIT_PLAYS, values })
      expect(rows).toEqual([{ place: 1, refusal: null }])
    } else {
      const { values } = toPlayRecording([play], now)
      const { rows } = await client.query({ ...RECORD_PLAYS, values })
      expect(rows).toMatchObject([{ pair: 1, path: expect.any(String) }])
    }
    const read = await client.query<{ relname: string }>(
      `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace IN ('public'::regnamespace, 'ledger'::regnamespace)
         AND pg_stat_get_xact_numscans(oid) > 0 ORDER BY relname`,
    )
    return read.rows.map(({ relname }) => relname)
  } finally {
    await client.query('ROLLBACK')
    await client.end()
  }
}

test('reads every table by an index, even while it has few rows', async () => {
  expect(await tablesRead('')).toEqual([])
})

test('reads every table by an index while it admits a play', async () => {
  const { apiKey } = service.services.db
  const { id } = await apiKey.findFirstOrThrow({ where: { kind: 'share' } })
  const setLimits = (limit: number | null) =>
    apiKey.update({ where: { id }, data: { maxPlays: limit, maxDailyListeners: limit, maxConcurrentListeners: limit } })
  await setLimits(1)
  const tables = await tablesRead('', 'admit').finally(() => setLimits(null))
  expect(tables).toEqual([])
})

test('would read whole tables without the settings of the function', async () => {
  expect(await tablesRead('ALTER FUNCTION ledger.record_plays RESET enable_seqscan')).not.toEqual([])
})
