import { existsSync } from 'node:fs'
import { mediaError } from './reasons.ts'
import { runTool, type Tools } from './run.ts'

/** Maximum difference between a result's length and the requested one, in seconds: codec frames and padding. */
export const DURATION_TOLERANCE_SECONDS = 0.15

/** A result that differs from its request. @param detail for the log only */
export const notMade = (detail: string) => mediaError('encoder_failed', detail)

/**
 * Runs ffprobe on a file of ours.
 * @param args entries to show, as ffprobe's options
 * @throws MediaError `encoder_failed` when the file cannot be read
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
    { cpuSeconds: 60, signal },
  )
  if (exitCode !== 0) throw notMade(`the result cannot be read ${stderr}`)
  return JSON.parse(stdout) as Report
}

/** @throws MediaError `encoder_failed` when a result does not have the expected length */
export function checkDuration(seconds: number, expected: number, tolerance = DURATION_TOLERANCE_SECONDS): void {
  if (Math.abs(seconds - expected) <= tolerance) return
  throw notMade(`it lasts ${seconds} s, not ${expected} s`)
}
