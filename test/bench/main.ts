// `bun run bench [name…]`: measures the figures of the goals on this machine, compared with a reference of the same run.
// Writes them to results.json and into the table of README.md.
import { benchCovers } from './covers.ts'
import { benchGraphql } from './graphql.ts'
import { benchGrowth } from './growth.ts'
import { benchIdle } from './idle.ts'
import { benchIsolation } from './isolation.ts'
import { benchPages } from './pages.ts'
import { benchProcessing } from './processing.ts'
import { benchPuts } from './puts.ts'
import { benchRanges } from './ranges.ts'
import { recordResults } from './results.ts'
import { benchSmall } from './small.ts'
import { benchStream } from './stream.ts'
import { benchTranscripts } from './transcripts.ts'
import { benchUpload } from './upload.ts'
import { benchUsage } from './usage.ts'
import { benchWebhooks } from './webhooks.ts'
import { benchWrites } from './writes.ts'

/** A measured figure and its limit. */
export interface Figure {
  what: string
  measured: string
  goal: string
  isMet: boolean
  /** Its name in the table of README.md. Figures without it are not in the table. */
  summary?: string
}

const benches: Record<string, () => Promise<Figure[]>> = {
  upload: benchUpload,
  puts: benchPuts,
  covers: benchCovers,
  ranges: benchRanges,
  processing: benchProcessing,
  stream: benchStream,
  graphql: benchGraphql,
  writes: benchWrites,
  webhooks: benchWebhooks,
  usage: benchUsage,
  growth: benchGrowth,
  transcripts: benchTranscripts,
  idle: benchIdle,
  small: benchSmall,
  isolation: benchIsolation,
  pages: benchPages,
}

const names = process.argv.slice(2)
const unknown = names.filter((name) => !(name in benches))
if (unknown.length > 0) {
  console.error(`no such bench: ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}`)
  process.exit(1)
}

const rows: Figure[] = []
for (const [name, bench] of Object.entries(benches)) {
  if (names.length > 0 && !names.includes(name)) continue
  const figures = await bench()
  await recordResults(name, figures)
  rows.push(...figures)
}
console.table(rows.map(({ what, measured, goal, isMet }) => ({ what, measured, goal, met: isMet ? 'yes' : 'NO' })))
process.exit(rows.every(({ isMet }) => isMet) ? 0 : 1)
