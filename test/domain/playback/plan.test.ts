// The plan of the statements that resolve and count plays, made while their tables are nearly empty.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { parseKey } from '../../../src/domain/access/key/key.ts'
import { RECORD_PLAYS, recordingValues } from '../../../src/domain/playback/ledger.ts'
import { createLinks, type Link } from '../../../src/domain/playback/links.ts'
import { tone } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()

/** Names the tables that the statements read as a whole while they count a play, after they have the settings. */
async function tablesRead(settings: string): Promise<string[]> {
  const { id: trackId } = await processed(service, await tone(1), `${randomUUID()}.wav`)
  const pair = { hash: parseKey(service.demo.share_key)?.hash ?? '', trackId }
  const listener = { today: randomUUID(), before: randomUUID(), isBot: false, number: 1 }
  const now = new Date()
  // The planner then expects one page, and prefers to read it whole.
  await service.services.pool.query('ANALYZE')
  // A new connection, because the numbers include earlier statements of the same one.
  const client = new Client(service.services.pool.options)
  await client.connect()
  try {
    await client.query(`BEGIN; ${settings}`)
    const { links, since } = await createLinks({ pool: client }).find([pair], now)
    const play = { id: randomUUID(), link: links[0] as Link, listener, referrerHost: null, exclusion: null }
    const { values } = recordingValues([play], since ?? '', now)
    const { rows } = await client.query({ ...RECORD_PLAYS, values })
    expect(rows).toMatchObject([{ changes: null }])
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

test.each(['resolve_links', 'record_plays'])('would read whole tables without the settings of %s', async (name) => {
  const reset = await tablesRead(`ALTER FUNCTION ledger.${name} RESET enable_seqscan`)
  expect(reset).not.toEqual([])
})
