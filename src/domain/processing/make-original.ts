import type { Services } from '../../platform/context.ts'
import { type FileWithVariant, sourceKey } from '../track/service.ts'
import { claimKey, digest, type FileResult, type Source } from './source.ts'

/** Content types of originals by file extension. Any other extension is delivered as application/octet-stream. */
const originalTypes: Record<string, string> = {
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

/** The uploaded bytes under a key of their own. */
export async function makeOriginal(services: Services, source: Source, file: FileWithVariant): Promise<FileResult> {
  const named = /\.([A-Za-z0-9]{1,8})$/.exec(source.fileName)?.[1]?.toLowerCase()
  const extension = named && named in originalTypes ? named : 'bin'
  const storageKey = await claimKey(services, source, file, extension)
  await services.storage.copy(sourceKey(source.organizationId, source.trackId), storageKey)
  const { size, sha256 } = source.received ?? (await digest(source.file))
  const contentType = originalTypes[extension] ?? 'application/octet-stream'
  const { codec, bitRate } = source.probe
  // `props` of an audio file always has codec and bitrate (contract, section 3).
  const props = { codec, bitrate: bitRate === null ? null : Math.round(bitRate / 1000) }
  const { fileName } = source
  return { state: 'done', storageKey, extension, size, sha256, contentType, fileName, data: null, props }
}
