import { rename } from 'node:fs/promises'
import { mediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import { StorageError } from '../../../platform/storage/storage.ts'
import { requireSourceKey } from '../../track/service.ts'
import type { Run } from '../run/run.ts'
import { hashFile } from '../run/store.ts'

/** The part of a run that fetches its recording. */
export type FetchingRun = Pick<Run, 'services' | 'track' | 'inputs' | 'reserve' | 'signal' | 'file'>

/**
 * Fetches the recording to the local disk. Bytes that differ from the checksum of the upload are a fault of storage or
 * of the network, which a later attempt may not have.
 * @throws MediaError `source_missing`; StorageError; HostFault `disk_full` when the disk has no room for it
 */
export async function fetchRecording(run: FetchingRun): Promise<void> {
  const { services, track, inputs } = run
  const key = requireSourceKey(track)
  if ((await services.storage.size(key, run.signal)) === null) throw mediaError('source_missing', key)
  await run.reserve(Number(track.sourceBytes ?? 0))
  const file = await services.storage.fetch(key, inputs, run.signal)
  // An MP3 with long padding in front is recognized by its name alone. No other extension is trusted.
  run.file = /\.mp3$/i.test(track.fileName) ? `${file}.mp3` : file
  if (run.file !== file) await rename(file, run.file)
  const { sha256 } = await hashFile(run.file, run.signal)
  if (track.sourceSha256 === null) await addChecksum(run, sha256)
  else if (sha256 !== track.sourceSha256) throw new StorageError('fetch', key, new Error('differs from its checksum'))
}

/** Adds the checksum of an upload that was sent to the bucket without passing through the service. */
async function addChecksum(run: FetchingRun, sourceSha256: string): Promise<void> {
  const { id, sourceKey } = run.track
  await run.services.db.track.updateMany({ where: { id, sourceKey }, data: { sourceSha256 } })
  run.track = { ...run.track, sourceSha256 }
}
