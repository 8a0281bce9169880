import { createHash } from 'node:crypto'
import type { Services } from '../../platform/context.ts'
import { MediaError } from '../../platform/media/ffmpeg/reasons.ts'
import type { Analysis } from '../../platform/media/meter/sound.ts'
import type { Probe } from '../../platform/media/probe.ts'
import { DAY_MS } from '../../platform/time.ts'
import { discard, newStorageKey } from '../track/file/bytes.ts'
import { type FileWithVariant, stem } from '../track/service.ts'
import type { Note } from '../variant/types/type.ts'
import type { Report } from './progress.ts'

/** What a run knows of its track. */
export interface Source {
  /** The job that runs: what it stores has keys of its own. */
  jobId: string
  trackId: string
  organizationId: string
  fileName: string
  /** Of the track: its folder is where its files lie. */
  basePath: string
  hasUploadedCover: boolean
  probe: Probe
  /** What is known of the recording's bytes; null where nobody has hashed them. */
  received: { size: number; sha256: string } | null
  /** Local path of the recording, in `inputs`. */
  file: string
  /** Scratch folder for objects fetched from storage. */
  inputs: string
  /** Scratch folder for results. */
  folder: string
  signal: AbortSignal
  /** What was measured of its sound in an earlier run; null where it is to be measured. */
  analysis: Analysis | null
  /** Is told how much of the run is done. */
  report: Report
}

/** What became of one file. `absent`: there is nothing to make it of, and that is no failure. */
export type FileResult =
  | {
      state: 'done'
      /** Where its bytes lie; which address they are delivered at is decided when the run ends. */
      storageKey: string
      extension: string
      size: number
      sha256: string
      contentType: string
      fileName: string
      data: object | null
      /** What was really used, where that is not what the recipe says. */
      props?: object
      /** Where it differs from what was asked for. */
      note?: Note | null
    }
  | ({ state: 'failed' } & Note)
  | { state: 'absent' }

/** Says which keys a run is about to write: what it never hands over is removed after a day. */
export const announce = (services: Services, keys: readonly string[]) =>
  discard(services.db, keys, new Date(services.clock().getTime() + DAY_MS))

/** Storage key for one file of a run. */
export async function claimKey(services: Services, source: Source, file: FileWithVariant, extension: string) {
  const key = newStorageKey({ ...file, basePath: source.basePath }, source.jobId, file.props, extension)
  await announce(services, [key])
  return key
}

/** Gives a finished local file its place in storage. */
export async function keep(
  services: Services,
  source: Source,
  file: FileWithVariant,
  local: string,
  extension: string,
  contentType: string,
) {
  const storageKey = await claimKey(services, source, file, extension)
  const { size, sha256 } = await digest(local)
  await services.storage.put(storageKey, local, contentType)
  const fileName = `${stem(source.fileName)}.${extension}`
  return { state: 'done' as const, storageKey, extension, size, sha256, contentType, fileName }
}

/** Size and SHA-256 of a local file, read as a stream. */
export async function digest(file: string): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of Bun.file(file).stream()) {
    hash.update(chunk)
    size += chunk.byteLength
  }
  return { size, sha256: hash.digest('hex') }
}

/** A file that could not be made is a result; what is no MediaError may go better next time. */
export function failure(services: Services, source: Source, file: FileWithVariant, error: unknown): FileResult {
  if (!(error instanceof MediaError)) throw error
  const { code, detail } = error
  services.log.warn({ trackId: source.trackId, variant: file.variant.index, code, detail }, 'a file could not be made')
  return { state: 'failed', code, text: error.message }
}
