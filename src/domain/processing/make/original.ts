import { withoutExtension } from '../../delivery/name.ts'
import { requireSourceKey } from '../../track/service.ts'
import type { FilePlan } from '../../variant/types/type.ts'
import type { FileResult, PlannedFile, Run } from '../run/run.ts'
import { hashFile, reserveFileKey } from '../run/store.ts'

/** Content types of originals by file extension. */
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

/** Extensions of each container, by ffprobe's name. The first replaces the name of a file that has none of them. */
const extensionsByContainer: Record<string, readonly string[]> = {
  aac: ['aac'],
  aiff: ['aiff', 'aif'],
  amr: ['amr'],
  amrnb: ['amr'],
  amrwb: ['amr'],
  asf: ['wma'],
  caf: ['caf'],
  flac: ['flac'],
  'matroska,webm': ['mka', 'webm', 'weba'],
  'mov,mp4,m4a,3gp,3g2,mj2': ['m4a', 'mp4', 'mov', '3gp'],
  mp3: ['mp3'],
  ogg: ['ogg', 'oga', 'opus'],
  wav: ['wav'],
}

/**
 * Returns the name, extension and type of an original. An extension that is not of its container is replaced. A
 * container without a content type has the extension `bin`.
 * @param container ffprobe's name
 */
export function nameOriginal(container: string, fileName: string) {
  const named = /\.([A-Za-z0-9]{1,8})$/.exec(fileName)?.[1]?.toLowerCase()
  const extensions = extensionsByContainer[container] ?? ['bin']
  const [first = 'bin'] = extensions
  const isRight = named !== undefined && extensions.includes(named)
  const extension = isRight ? named : first
  const contentType = contentTypes[extension] ?? 'application/octet-stream'
  return { extension, contentType, fileName: isRight ? fileName : `${withoutExtension(fileName)}.${extension}` }
}

/** Copies the uploaded bytes to a key of their own. */
export async function makeOriginal(
  run: Run,
  { row }: PlannedFile<FilePlan & { kind: 'original' }>,
): Promise<FileResult> {
  const { sourceSha256, sourceBytes } = run.track
  const { extension, contentType, fileName } = nameOriginal(run.probe.container, run.track.fileName)
  const storageKey = await reserveFileKey(run, row, extension)
  await run.services.storage.copy(requireSourceKey(run.track), storageKey, run.signal)
  const { codec, bitRate } = run.probe
  const isKnown = sourceSha256 !== null && sourceBytes !== null
  return {
    state: 'done',
    storageKey,
    extension,
    ...(isKnown ? { size: Number(sourceBytes), sha256: sourceSha256 } : await hashFile(run.file, run.signal)),
    contentType,
    fileName,
    data: null,
    // `props` of an audio file always has codec and bitrate (contract, section 3).
    props: { codec, bitrate: bitRate === null ? null : Math.round(bitRate / 1000) },
  }
}
