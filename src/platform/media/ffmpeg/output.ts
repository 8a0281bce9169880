import { existsSync } from 'node:fs'
import { mediaError } from './reasons.ts'
import { runTool, type Tools } from './run.ts'

/** How far a result's length may be from what was asked: codec frames and their padding. */
export const DURATION_TOLERANCE_SECONDS = 0.15

/** A result that is not what was asked for. @param detail for the log only */
export const notMade = (detail: string) => mediaError('encoder_failed', detail)

/**
 * What ffprobe says of a file that we made.
 * @param args what to show, in ffprobe's words
 * @throws MediaError `encoder_failed` when it cannot be read
 */
export async function describeOutput<Report>(
  tools: Tools,
  file: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<Report> {
  if (!existsSync(file)) throw notMade('there is no result')
  const { stdout, stderr, exitCode } = await runTool(
    tools,
    'ffprobe',
    ['-v', 'error', '-of', 'json', ...args, '-i', `file:${file}`],
    { timeoutMs: 60_000, signal },
  )
  if (exitCode !== 0) throw notMade(`the result cannot be read ${stderr}`)
  return JSON.parse(stdout) as Report
}

/** @throws MediaError `encoder_failed` when a result is not as long as it should be */
export function checkDuration(found: number, expected: number, tolerance = DURATION_TOLERANCE_SECONDS): void {
  if (Math.abs(found - expected) <= tolerance) return
  throw notMade(`it lasts ${found} s, not ${expected} s`)
}
