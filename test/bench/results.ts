// Keeps the figures of the last run of each benchmark in results.json, and shows those with a summary in its README.md.
import { cpus } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Figure } from './main.ts'

const resultsPath = join(import.meta.dir, 'results.json')
const readmePath = join(import.meta.dir, 'README.md')

const resultsShape = z.record(
  z.string(),
  z.object({
    /** Day of the run, YYYY-MM-DD. */
    day: z.string(),
    machine: z.string(),
    figures: z.array(
      z.object({
        what: z.string(),
        measured: z.string(),
        goal: z.string(),
        isMet: z.boolean(),
        summary: z.string().optional(),
      }),
    ),
  }),
)
export type Results = z.output<typeof resultsShape>

/** @returns the figures by name of the benchmark */
export const readResults = async (): Promise<Results> => resultsShape.parse(await Bun.file(resultsPath).json())

/** Replaces the figures of one benchmark, and writes the table of README.md from all of them. */
export async function recordResults(name: string, figures: readonly Figure[]): Promise<void> {
  const earlierResults = (await Bun.file(resultsPath).exists()) ? await readResults() : {}
  const [day, model] = [new Date().toISOString().slice(0, 10), cpus()[0]?.model ?? process.arch]
  const machine = `${cpus().length} cores, ${model.replace(/\s+/g, ' ')}`
  const results = sortByName({ ...earlierResults, [name]: { day, machine, figures: [...figures] } })
  await Bun.write(resultsPath, `${JSON.stringify(results, null, 2)}\n`)
  await Bun.write(readmePath, withPerformanceTable(await Bun.file(readmePath).text(), results))
}

const sortByName = (results: Results): Results =>
  Object.fromEntries(Object.entries(results).sort(([a], [b]) => (a < b ? -1 : 1)))

const TABLE = /(<!-- from results\.json -->\n)[\s\S]*?(<!-- end -->)/

/** Returns a README with its performance table made from results: the figures that have a summary. */
export function withPerformanceTable(readme: string, results: Results): string {
  const rows = Object.values(results).flatMap(({ figures }) =>
    figures.flatMap(({ summary, measured, goal }) => (summary ? [`| ${summary} | ${measured} | ${goal} |`] : [])),
  )
  const table = ['| work | measured | goal |', '|---|---|---|', ...rows].join('\n')
  return readme.replace(TABLE, (_, start: string, end: string) => `${start}${table}\n${end}`)
}
