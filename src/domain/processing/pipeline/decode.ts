import { findDamage } from '../../../platform/media/damage.ts'
import { roundTo } from '../../../platform/number.ts'
import { makers } from '../make/makers.ts'
import type { Run } from '../run/run.ts'
import { encodeFiles, needsMeasurement, requestEncoding } from './encode-files.ts'
import { reserveSpace } from './space.ts'

/**
 * Decodes the recording once. The same pass measures it and encodes the audio files whose arguments follow from its
 * probe alone; `levelFiles` encodes the others.
 * @throws MediaError when the recording cannot be decoded; `truncated` when a part of it is missing
 */
export async function decodeRecording(run: Run): Promise<void> {
  const needsSound = run.files.some(({ plan }) => makers[plan.kind].needsSound)
  if (run.analysis && !needsSound) return
  const { claimedSeconds } = run
  const reserveMore = await reserveSpace(run)
  const requests = run.files
    .flatMap(({ row }) => requestEncoding(run, row, claimedSeconds))
    .filter((request) => !needsMeasurement(run, request) && (claimedSeconds > 0 || !request.output.clip))
  const { decoded, encodings } = await encodeFiles(run, requests, {
    isMetered: run.analysis === null,
    onSeconds(seconds) {
      if (claimedSeconds > 0) run.progress.decoded(seconds / claimedSeconds)
      reserveMore(seconds)
    },
  })
  run.encodings = encodings
  run.decoded = decoded
  run.quality = decoded.quality
  if (run.analysis || !decoded.analysis) return
  const damagedAt = await findDamage(run.services.tools, run, decoded)
  run.analysis = { ...decoded.analysis, damaged_at_seconds: roundToMs(damagedAt) }
}

const roundToMs = (seconds: number | null) => (seconds === null ? null : roundTo(seconds, 3))
