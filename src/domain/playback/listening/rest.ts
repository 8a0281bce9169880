import { z } from 'zod'
import { CSV_TYPE, writeCsv } from '../../../platform/http/csv.ts'
import { download, route } from '../../../platform/http/rest.ts'
import { roundTo } from '../../../platform/number.ts'
import { toRest } from '../../../platform/schema/record.ts'
import { HUNDREDTHS } from './hundredths.ts'
import {
  type Retention,
  retentionFields,
  retentionFormat,
  retentionRange,
  retentionShape,
  retentionTrack,
} from './record.ts'
import { readRetention } from './retention.ts'

const toSeconds = ({ durationSeconds }: Retention, place: number) =>
  durationSeconds === null ? null : roundTo((durationSeconds * place) / HUNDREDTHS, 3)

async function* retentionLines(retention: Retention) {
  const rows = retention.hundredths.map((listenings, place) => [
    toSeconds(retention, place),
    toSeconds(retention, place + 1),
    listenings,
  ])
  yield writeCsv([['from_seconds', 'to_seconds', 'listenings'], ...rows])
}

export const retentionRoutes = [
  route({
    method: 'GET',
    path: '/track/:trackId/retention',
    auth: 'key',
    operation: 'getRetention',
    summary: 'Returns how much of a track is heard.',
    params: retentionTrack,
    query: retentionRange.extend(retentionFormat.shape),
    answer: z.object({ retention: retentionShape }),
    fileType: 'text/csv',
    handle: async ({ ctx, params: { trackId }, query: { format, ...range } }) => {
      const retention = await readRetention(ctx, trackId, range)
      return format === 'json'
        ? { retention: toRest(retentionFields, retention) }
        : download({ contentType: CSV_TYPE, fileName: `retention-${trackId}.csv`, chunks: retentionLines(retention) })
    },
  }),
]
