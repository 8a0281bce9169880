import { expect, test } from 'bun:test'
import { unendedStates } from '../../../src/domain/processing/job-states.ts'
import { processingStates, unfinishedStates } from '../../../src/domain/track/states.ts'
import { sql } from '../../support/administrators.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()

/** The states of a type that a definition in the database names. */
const listStates = async (type: string, definition: string, name: string): Promise<string[]> => {
  const { rows } = await sql(
    service,
    `SELECT label FROM unnest(enum_range(NULL::${type})::text[]) WITH ORDINALITY AS state(label, place)
     WHERE position(quote_literal(label) IN (${definition})) > 0 ORDER BY place`,
    [name],
  )
  return rows.map(({ label }) => label)
}

const INDEX = 'SELECT pg_get_expr(indpred, indrelid) FROM pg_index WHERE indexrelid = $1::regclass'

test('the index of unfinished tracks has the states of the service', async () => {
  expect(await listStates('track_status', INDEX, 'track_under_way')).toEqual(unfinishedStates)
})

test('the time of a change to processing is written unless a track is being processed', async () => {
  const definition = 'SELECT prosrc FROM pg_proc WHERE proname = $1'
  expect(await listStates('track_status', definition, 'track_stamp_change')).toEqual(processingStates)
})

test.each(['job_line', 'job_slots', 'job_unfinished'])(
  'the index %s has the states of jobs that have not ended',
  async (name) => {
    expect(await listStates('job_state', INDEX, name)).toEqual(unendedStates)
  },
)
