// The plan of the statement that counts plays, made while its tables are nearly empty.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { parseKey } from '../../../src/domain/access/key/key.ts'
import { countingValues, RESOLVE_AND_COUNT } from '../../../src/domain/playback/ledger.ts'
import { tone } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()

/** Names the tables that the statement reads as a whole while it counts a play, after it has the settings. */
async function tablesRead(settings: string): Promise<string[]> {
  const { id: trackId } = await processed(service, await tone(1), `${randomUUID()}.wav`)
  const hash = parseKey(service.demo.share_key)?.hash ?? ''
  const listener = { today: randomUUID(), before: randomUUID(), isBot: false, number: 1 }
  const play = { id: randomUUID(), hash, trackId, listener, referrerHost: null, exclusion: null }
  // The planner then expects one page, and prefers to read it whole.
  await service.services.pool.query('ANALYZE')
  // A new connection, because the numbers include earlier statements of the same one.
  const client = new Client(service.services.pool.options)
  await client.connect()
  try {
    await client.query(`BEGIN; ${settings}`)
    const { rows } = await client.query({ ...RESOLVE_AND_COUNT, values: countingValues([play], new Date()).values })
    expect(rows).toHaveLength(1)
    const read = await client.query<{ relname: string }>(
      `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
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

test('would read whole tables without the settings of the function', async () => {
  const reset = await tablesRead('ALTER FUNCTION ledger.count_plays RESET enable_seqscan')
  expect(reset).not.toEqual([])
})
