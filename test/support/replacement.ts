import { expect } from 'bun:test'
import { createHash } from 'node:crypto'
import { ok } from '../spec/support.ts'
import { runTask } from './jobs.ts'
import type { Answer, Json, TestService } from './service.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** Replaces recordings of tracks as the demo organization's key, or with another credential. */
export function replacing(service: TestService) {
  const { db, pool } = service.services
  const tryReplace = (trackId: string, body: object = { file_name: 'new.wav' }, key?: string | null): Promise<Answer> =>
    service.v1('POST', `/track/${trackId}/recording`, { body, ...(key !== undefined && { key }) })
  const begin = async (trackId: string, body?: object): Promise<Json> => ok(await tryReplace(trackId, body))
  const put = (upload: Json, bytes: Bytes) =>
    service.fetchEdge(upload.track_upload.upload_url, { method: 'PUT', body: new Blob([bytes]) })

  /** Begins a replacement, and sends its bytes. The job that processes them is left to `runJobs`. */
  async function send(trackId: string, bytes: Bytes, fileName = 'new.wav'): Promise<Json> {
    const upload = await begin(trackId, { file_name: fileName })
    expect((await put(upload, bytes)).status).toBe(200)
    return upload
  }

  return {
    tryReplace,
    begin,
    put,
    send,
    /** Replaces the recording, and processes the new one. */
    replace: async (trackId: string, bytes: Bytes, fileName?: string): Promise<Json> => {
      const upload = await send(trackId, bytes, fileName)
      await service.runJobs()
      return upload
    },
    recordings: async (trackId: string): Promise<Json> => ok(await service.v1('GET', `/track/${trackId}/recording`)),
    tryRestore: (trackId: string, recordingId: string): Promise<Answer> =>
      service.v1('POST', `/track/${trackId}/recording/${recordingId}/restore`),
    cancel: (trackId: string): Promise<Answer> => service.v1('DELETE', `/track/${trackId}/recording`),
    rowOf: (id: string) => db.track.findUniqueOrThrow({ where: { id }, include: { files: true } }),
    /** Runs the newest job of a row. */
    run: async (id: string, services = service.services) => {
      const job = await db.job.findFirstOrThrow({ where: { trackId: id }, orderBy: { id: 'desc' } })
      return runTask(services, job.kind, { jobId: job.id })
    },
    /** Number of undeleted tracks and all bytes, as the sums say. */
    sums: async (): Promise<Json> => {
      const { rows } = await pool.query(
        'SELECT sum(tracks)::int AS tracks, sum(source_bytes)::int AS source, sum(file_bytes)::int AS files FROM track_sum',
      )
      return rows[0]
    },
  }
}

export const hashOf = (bytes: Bytes | ArrayBuffer) => createHash('sha256').update(new Uint8Array(bytes)).digest('hex')
