import type { Services } from '../../../platform/context.ts'
import { batched } from '../../../platform/db/batched.ts'
import { commitStatement } from '../../../platform/db/transaction.ts'
import { arrayText } from '../array-text.ts'
import { createListeners, type ListenerIdentity } from '../listener.ts'
import type { ListeningGrant } from './address.ts'
import { type HeardRange, markHundredths } from './hundredths.ts'

const MAX_BATCH = 500
/** Listenings of a track that are counted on a day: enough for an error of 1 %. */
const MAX_DAILY = 10_000

const RECORD_LISTENINGS = {
  name: 'record_listenings',
  text: 'SELECT FROM ledger.record_listenings($1, $2, $3, $4, $5, $6)',
}

interface Report {
  trackId: string
  listener: ListenerIdentity
  /** As `markHundredths` returns them. */
  hundredths: string
}

/** The client of a report. */
export interface ReportClient {
  /** Null if unknown. It is hashed and never stored. */
  address: string | null
  userAgent: string | null
}

/**
 * Creates a function that adds what a player reports as heard to the listening of its client, after which the report is committed.
 * Reports that arrive while a statement is running share the next one. Those of bots are ignored.
 */
export function createListeningReports(services: Services, maxDaily = MAX_DAILY) {
  const listenersAt = createListeners(services)

  async function record(reports: readonly Report[]): Promise<undefined[]> {
    const values = [
      arrayText(reports.map(({ trackId }) => trackId)),
      arrayText(reports.map(({ listener }) => listener.today)),
      arrayText(reports.map(({ listener }) => listener.before)),
      arrayText(reports.map(({ hundredths }) => hundredths)),
      maxDaily,
      services.clock(),
    ]
    await commitStatement(services.pool, { ...RECORD_LISTENINGS, values })
    return reports.map(() => undefined)
  }
  const recordBatched = batched(record, { max: MAX_BATCH })

  return async (grant: ListeningGrant, ranges: readonly HeardRange[], client: ReportClient): Promise<void> => {
    const identify = await listenersAt(services.clock())
    const listener = identify(client.address, client.userAgent)
    if (listener.isBot) return
    const hundredths = markHundredths(ranges, grant.durationSeconds)
    await recordBatched({ trackId: grant.trackId, listener, hundredths })
  }
}
