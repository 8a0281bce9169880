import { createHash } from 'node:crypto'
import type { Services } from '../../platform/context.ts'
import type { Probe } from '../../platform/media/probe.ts'
import type { FileWithVariant } from '../track/service.ts'
import type { Report } from './progress.ts'

/** What a run knows of its track. */
export interface Source {
  trackId: string
  organizationId: string
  basePath: string
  fileName: string
  hasUploadedCover: boolean
  probe: Probe
  /** Local path of the recording, inside `folder`. */
  file: string
  folder: string
  signal: AbortSignal
  /** Is told how much of the run is done. */
  report: Report
}

/** What became of one file. `absent`: there is nothing to make it of, and that is no failure. */
export type FileResult =
  | {
      state: 'done'
      path: string
      size: number
      sha256: string
      contentType: string
      fileName: string
      data: object | null
      props?: object
    }
  | { state: 'failed'; code: string; text: string }
  | { state: 'absent' }

/** Gives a finished local file its place in storage. */
export async function keep(
  services: Services,
  source: Source,
  file: FileWithVariant,
  local: string,
  extension: string,
  contentType: string,
) {
  const path = `${source.basePath}_${file.variant.index}.${extension}`
  const { size, sha256 } = await digest(local)
  await services.storage.put(path, local, contentType)
  const fileName = `${stem(source.fileName)}.${extension}`
  return { state: 'done' as const, path, size, sha256, contentType, fileName }
}

export const stem = (fileName: string) => fileName.replace(/\.[A-Za-z0-9]{1,8}$/, '')

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
