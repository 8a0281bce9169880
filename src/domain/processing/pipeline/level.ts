import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { EncodeAttempt } from '../../../platform/media/attempts.ts'
import type { AudioOutput } from '../../../platform/media/encode.ts'
import { MediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import { type CheckedEncoding, checkLoudness, withGain } from '../make/gain.ts'
import type { Encoding, EncodingRequest, Run } from '../run/run.ts'
import { encodeFiles, requestEncoding } from './encode-files.ts'

/** Clips are placed by the announced length. A larger difference to the decoded length places them again. */
const CLIP_TOLERANCE_SECONDS = 0.02

/**
 * Encodes the files whose gain or ends follow from a measurement of the recording, and clips that were misplaced because
 * the header announces a wrong length. Measures all files, and encodes those again that missed their loudness.
 */
export async function levelFiles(run: Run): Promise<void> {
  if (!run.decoded) return
  const { durationSeconds } = run.decoded
  let requests: EncodingRequest[] = []
  for (const { row } of run.files) {
    const remaining = requestEncoding(run, row, durationSeconds, run.soundSpan)
    for (const request of remaining.filter(({ output }) => isRemaining(run, output, durationSeconds)))
      requests.push(await withGain(run, request))
  }
  const repeatedNames = new Set(requests.map(({ output }) => output.fileName))
  let unmeasured = [...run.encodings].filter(([name]) => !repeatedNames.has(name))
  const encodings = new Map<string, Encoding>()
  const attempts = new Map<string, readonly EncodeAttempt[]>()
  while (requests.length > 0 || unmeasured.length > 0) {
    if (requests.length > 0) unmeasured.push(...(await encodeFiles(run, requests)).encodings)
    requests = []
    for (const [name, encoding] of unmeasured) {
      const checked = await checkLoudness(run, encoding, attempts.get(name)).catch(failedCheck)
      attempts.set(name, checked.attempts)
      encodings.set(name, await keepBest(run, encodings.get(name), checked))
      if (checked.better) requests.push(checked.better)
    }
    unmeasured = []
  }
  run.encodings = encodings
}

/**
 * Keeps the best encode of a file, under another name while the next one is written.
 * @param best the best earlier encode
 * @returns the best of them, at its own name unless there is a next one
 */
async function keepBest(
  run: Run,
  best: Encoding | undefined,
  { measured, isBest, better }: CheckedEncoding,
): Promise<Encoding> {
  if (measured.state === 'failed') return best?.state === 'encoded' ? restore(run, best) : measured
  const file = join(run.folder, measured.output.fileName)
  if (better && isBest) await rename(file, bestName(file))
  if (isBest || best?.state !== 'encoded') return measured
  return better ? best : restore(run, best)
}

async function restore(run: Run, best: Encoding & { state: 'encoded' }): Promise<Encoding> {
  const file = join(run.folder, best.output.fileName)
  await rename(bestName(file), file)
  return best
}

const bestName = (file: string) => `${file}.best`

/** Whether the decode has not encoded a file, or has misplaced it. A file that has failed is not repeated. */
function isRemaining(run: Run, { fileName }: AudioOutput, durationSeconds: number): boolean {
  const encoding = run.encodings.get(fileName)
  if (!encoding) return true
  const isPlaced = run.claimedSeconds > 0 && Math.abs(durationSeconds - run.claimedSeconds) <= CLIP_TOLERANCE_SECONDS
  return encoding.state === 'encoded' && encoding.output.clip !== null && !isPlaced
}

/** @throws any error but a MediaError */
function failedCheck(error: unknown): CheckedEncoding {
  if (error instanceof MediaError)
    return { measured: { state: 'failed', error }, attempts: [], isBest: true, better: null }
  throw error
}
