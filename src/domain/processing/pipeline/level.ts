import { MediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import { checkLoudness, withGain } from '../make/gain.ts'
import type { Encoding, EncodingRequest, PlannedFile, Run } from '../run/run.ts'
import { encodeFiles, requestEncoding } from './encode-files.ts'

/** Clips are placed by the announced length. A larger difference to the decoded length places them again. */
const CLIP_TOLERANCE_SECONDS = 0.02
/** Encodes of a file that follow from measurements of its earlier ones. Two are rarely needed. */
const MAX_CORRECTIONS = 3

/**
 * Encodes the files whose gain or ends follow from a measurement of the recording, and clips that were misplaced because
 * the header announces a wrong length. Measures all files, and encodes those again that missed their loudness.
 */
export async function levelFiles(run: Run): Promise<void> {
  if (!run.decoded) return
  const { durationSeconds } = run.decoded
  let requests: EncodingRequest[] = []
  for (const { row } of run.files.filter((file) => isRemaining(run, file, durationSeconds))) {
    const [request] = requestEncoding(run, row, durationSeconds, run.soundSpan)
    if (request) requests.push(await withGain(run, request))
  }
  const repeatedIds = new Set(requests.map(({ file }) => file.row.id))
  let unmeasured = [...run.encodings].filter(([id]) => !repeatedIds.has(id))
  const encodings = new Map<string, Encoding>()
  for (let correction = 0; correction <= MAX_CORRECTIONS; correction++) {
    if (requests.length > 0) unmeasured.push(...(await encodeFiles(run, requests)).encodings)
    requests = []
    for (const [id, encoding] of unmeasured) {
      const { measured, better } = await checkLoudness(run, encoding).catch(failedCheck)
      encodings.set(id, measured)
      if (better) requests.push(better)
    }
    if (requests.length === 0) break
    unmeasured = []
  }
  run.encodings = encodings
}

/** Whether the decode has not encoded a file, or has misplaced it. A file that has failed is not repeated. */
function isRemaining(run: Run, { row }: PlannedFile, durationSeconds: number): boolean {
  const encoding = run.encodings.get(row.id)
  if (!encoding) return true
  const isPlaced = run.claimedSeconds > 0 && Math.abs(durationSeconds - run.claimedSeconds) <= CLIP_TOLERANCE_SECONDS
  return encoding.state === 'encoded' && encoding.output.clip !== null && !isPlaced
}

/** @throws any error but a MediaError */
function failedCheck(error: unknown): Awaited<ReturnType<typeof checkLoudness>> {
  if (error instanceof MediaError) return { measured: { state: 'failed', error }, better: null }
  throw error
}
