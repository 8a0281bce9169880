import { sourceKeyOf } from '../../track/service.ts'
import type { FilePlan } from '../../variant/types/type.ts'
import type { FileResult, PlannedFile, Run } from '../run/run.ts'
import { hashFile, reserveFileKey } from '../run/store.ts'

/** Content types of originals by file extension. Any other extension is delivered as application/octet-stream. */
const contentTypes: Record<string, string> = {
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  mp4: 'audio/mp4',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  aif: 'audio/aiff',
  aiff: 'audio/aiff',
  wma: 'audio/x-ms-wma',
  webm: 'audio/webm',
  weba: 'audio/webm',
  mka: 'audio/x-matroska',
  mov: 'video/quicktime',
  '3gp': 'audio/3gpp',
  amr: 'audio/amr',
  caf: 'audio/x-caf',
}

/** Copies the uploaded bytes to a key of their own. */
export async function makeOriginal(
  run: Run,
  { row }: PlannedFile<FilePlan & { kind: 'original' }>,
): Promise<FileResult> {
  const { fileName, sourceSha256, sourceBytes } = run.track
  const named = /\.([A-Za-z0-9]{1,8})$/.exec(fileName)?.[1]?.toLowerCase()
  const extension = named && named in contentTypes ? named : 'bin'
  const storageKey = await reserveFileKey(run, row, extension)
  await run.services.storage.copy(sourceKeyOf(run.track), storageKey, run.signal)
  const { codec, bitRate } = run.probe
  const isKnown = sourceSha256 !== null && sourceBytes !== null
  return {
    state: 'done',
    storageKey,
    extension,
    ...(isKnown ? { size: Number(sourceBytes), sha256: sourceSha256 } : await hashFile(run.file, run.signal)),
    contentType: contentTypes[extension] ?? 'application/octet-stream',
    fileName,
    data: null,
    // `props` of an audio file always has codec and bitrate (contract, section 3).
    props: { codec, bitrate: bitRate === null ? null : Math.round(bitRate / 1000) },
  }
}
