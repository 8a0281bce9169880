import { join } from 'node:path'
import { checkOutput } from '../../../platform/media/encode.ts'
import { readSegments, type Segment, writeCmaf } from '../../../platform/media/formats/cmaf.ts'
import { setExactLength } from '../../../platform/media/formats/mp4-length.ts'
import { roundTo } from '../../../platform/number.ts'
import { siblingKey } from '../../delivery/name.ts'
import type { AudioPlan, FilePlan } from '../../variant/types/type.ts'
import type { FileResult, PlannedFile, Run } from '../run/run.ts'
import { hashFile, storeFile, storeSibling } from '../run/store.ts'
import { findEncoded } from './encoded.ts'

type AdaptivePlan = FilePlan & { kind: 'adaptive' }

/** Of the hash of a file, in its path. A CDN keeps files by their paths, and a playlist fits one file only. */
const VERSION_DIGITS = 8
const [EXTENSION, CONTENT_TYPE] = ['m4a', 'audio/mp4']

/**
 * Finishes the files of an adaptive stream, each as CMAF. The one with the highest bit rate is the file of the variant,
 * for players that know no playlists; the others are its siblings.
 */
export async function makeAdaptive(run: Run, { row, plan }: PlannedFile<AdaptivePlan>): Promise<FileResult> {
  const written = []
  for (const rate of plan.rates) written.push(await writeRate(run, row, rate))
  const [best] = written.toReversed()
  if (!best) throw new Error('an adaptive stream without a bit rate')
  const stored = await storeFile(run, row, { local: best.local, extension: EXTENSION, contentType: CONTENT_TYPE })
  const rates: Record<string, object> = {}
  for (const { local, bitrate, version, details } of written) {
    const { storageKey, size, sha256 } = stored
    const key = siblingKey(storageKey, `${bitrate}.${version}.${EXTENSION}`)
    const isMain = local === best.local
    const itself = { path: key, type: CONTENT_TYPE, size, sha256 }
    const object = isMain ? itself : await storeSibling(run, { local, key }, CONTENT_TYPE)
    rates[bitrate] = { ...object, is_main: isMain, ...details }
  }
  const { resolved, note } = best.plan
  const { bitrate: _, ...sound } = resolved
  const data = { duration: roundTo(best.durationSeconds, 3), rates }
  return { ...stored, data, props: { ...(row.props as object), ...sound }, note }
}

/** Writes one bit rate as CMAF. */
async function writeRate(run: Run, row: PlannedFile['row'], rate: AudioPlan) {
  const { output, file } = findEncoded(run, row, rate)
  const encoded = join(run.folder, output.fileName)
  await setExactLength(encoded)
  const local = `${encoded}.cmaf`
  const { headerBytes, indexBytes } = await writeCmaf(encoded, local)
  await checkOutput(run.services.tools, local, output, run.sound.durationSeconds, run.signal)
  const at = headerBytes + indexBytes
  const index = Buffer.from(await Bun.file(local).slice(headerBytes, at).arrayBuffer())
  const segments = readSegments(index, at)
  return {
    local,
    plan: file.plan,
    bitrate: Number(rate.adaptiveBitrate),
    version: (await hashFile(local, run.signal)).sha256.slice(0, VERSION_DIGITS),
    durationSeconds: output.clip?.durationSeconds ?? run.sound.durationSeconds,
    details: { ...measureBitrate(segments), header_bytes: headerBytes, index_bytes: indexBytes },
  }
}

/** Shortest segment whose bit rate counts: HLS leaves out those shorter than half of the target length. */
const MIN_SECONDS = 3

/** Bits per second on average, and of the segment with most of them (RFC 8216, 4.1 and 4.3.4.2). */
function measureBitrate(segments: readonly Segment[]) {
  const rate = ({ bytes, seconds }: Pick<Segment, 'bytes' | 'seconds'>) => Math.ceil((bytes * 8) / seconds)
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0)
  const seconds = segments.reduce((sum, segment) => sum + segment.seconds, 0)
  const average = rate({ bytes, seconds })
  const long = segments.filter((segment) => segment.seconds >= MIN_SECONDS)
  return { average_bitrate: average, peak_bitrate: Math.max(average, ...long.map(rate)) }
}
