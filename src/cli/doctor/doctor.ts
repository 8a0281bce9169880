import type { Pool } from 'pg'
import { OperatorError, readSettings } from '../../config.ts'
import { openDatabase } from '../../platform/db/client.ts'
import { createLog } from '../../platform/log.ts'
import { withTimeout } from '../with-timeout.ts'
import { addressChecks } from './addresses.ts'
import { databaseChecks, findDatabase } from './database.ts'
import { type Check, type DoctorFinding, describeError, ok, problem, warning } from './finding.ts'
import { issuerCheck } from './identity.ts'
import { mediaChecks } from './media.ts'
import { protectionChecks } from './protection.ts'
import { speechCheck } from './speech.ts'
import { storageChecks } from './storage.ts'

export const DOCTOR_USAGE = `usage: doctor [--json]. Checks settings, database, storage, media programs and addresses, and changes nothing.
  Prints a line for each finding: ok, warning or problem. The exit status is 1 if there is a problem.
  --json   -> [{check, level, found, remedy}]`

/** Time limit of a check in milliseconds. */
const CHECK_MS = 15_000

const allChecks: readonly Check[] = [
  ...storageChecks,
  ...mediaChecks,
  ...addressChecks,
  issuerCheck,
  speechCheck,
  ...protectionChecks,
]

interface Named extends DoctorFinding {
  check: string
}

interface DoctorOptions {
  print: (text: string) => void
  /** Checks that need no database. Defaults to all. */
  checks?: readonly Check[]
  /** Time limit of a check in milliseconds. */
  timeoutMs?: number
}

/**
 * Runs all checks, one after another: media programs are started synchronously, which would delay the answers that other
 * checks wait for.
 * @returns the exit status
 */
export async function doctor(
  env: Record<string, string | undefined>,
  args: string[],
  { print, checks = allChecks, timeoutMs = CHECK_MS }: DoctorOptions,
): Promise<number> {
  const unknown = args.find((arg) => arg !== '--json')
  if (unknown !== undefined) throw new OperatorError(`doctor: unknown option "${unknown}"\n${DOCTOR_USAGE}`)
  const isJson = args.includes('--json')
  const all: Named[] = []
  const report = (check: string, findings: readonly DoctorFinding[]) => {
    const named = findings.map(({ level, summary, remedy }) => ({ check, level, summary: oneLine(summary), remedy }))
    all.push(...named)
    if (!isJson) for (const finding of named) print(toLine(finding))
  }

  const { config, mistakes, names } = readSettings(env)
  report('settings', settingFindings(mistakes, names))
  const invalid = new Set(mistakes.map((mistake) => mistake.split(':')[0] ?? ''))
  const run = async ({ name, settings = [], run: check }: Check) =>
    report(
      name,
      await attempt(
        () => check(config),
        settings.filter((setting) => invalid.has(setting)),
        timeoutMs,
      ),
    )

  await using opened = new AsyncDisposableStack()
  const connected: { pool?: Pool } = {}
  await run({
    name: 'database',
    settings: ['DATABASE_URL', 'DATA_DIR'],
    run: async () => {
      const { url, finding } = await findDatabase(config)
      if (url === null) return [finding]
      const { pool, close } = openDatabase(url, createLog('silent', 'json'), {
        max: 2,
        statementTimeoutMs: timeoutMs,
        isPooled: config.databaseDirectUrl !== undefined,
      })
      opened.defer(close)
      connected.pool = pool
      return [finding]
    },
  })
  const { pool } = connected
  if (pool) for (const check of databaseChecks) await run({ ...check, run: (config) => check.run(pool, config) })
  for (const check of checks) await run(check)

  if (isJson) print(JSON.stringify(all.map(toJson)))
  else print(summarize(all))
  return all.some(({ level }) => level === 'problem') ? 1 : 0
}

function settingFindings(mistakes: readonly string[], names: readonly string[]): DoctorFinding[] {
  const remedy = 'Correct it; .env.example has all settings with their defaults.'
  if (mistakes.length > 0) return mistakes.map((mistake) => problem(mistake, remedy))
  return [ok(names.length > 0 ? `valid; set are ${names.join(', ')}` : 'valid; all have their defaults')]
}

/** Runs a check. One that fails or takes too long is a problem. */
async function attempt(
  check: () => Promise<DoctorFinding[]> | DoctorFinding[],
  invalid: readonly string[],
  timeoutMs: number,
) {
  if (invalid.length > 0) {
    const names = invalid.join(', ')
    return [warning(`not checked: invalid ${names}`, 'Correct the settings, then run doctor again.')]
  }
  try {
    const late = () => new OperatorError(`no answer within ${timeoutMs / 1000} s`)
    return await withTimeout(Promise.resolve(check()), timeoutMs, late)
  } catch (error) {
    return [problem(describeError(error), 'See "Start" in the guide "Troubleshoot".')]
  }
}

const toJson = ({ check, level, summary, remedy }: Named) => ({ check, level, found: summary, remedy })

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

const toLine = ({ level, check, summary, remedy }: Named) =>
  `${level.padEnd(8)} ${check.padEnd(12)} ${remedy === null ? summary : `${summary}. ${remedy}`}`

function summarize(all: readonly Named[]): string {
  const count = (level: DoctorFinding['level']) => all.filter((finding) => finding.level === level).length
  const counted = (level: 'problem' | 'warning') => `${count(level)} ${level}${count(level) === 1 ? '' : 's'}`
  return `\n${counted('problem')}, ${counted('warning')}, ${count('ok')} ok`
}
