import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Measured, makeHostMedia, measure } from './audio.ts'
import { type Json, type TestService, uploadTrack } from './service.ts'

/** A track after all its jobs, with its files by the index of their variant. */
export interface Processed {
  id: string
  track: Json
  files: Record<string, Json>
}

export async function readTrack(service: TestService, id: string): Promise<Processed> {
  const { json } = await service.v1('GET', `/track/${id}`)
  return {
    id,
    track: json.track,
    files: Object.fromEntries(json.files.map((file: Json) => [file.variant.index, file])),
  }
}

/** Uploads a recording and runs every job. */
export async function processed(
  service: TestService,
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
): Promise<Processed> {
  const id = await uploadTrack(service, bytes, name)
  await service.runJobs()
  return readTrack(service, id)
}

/** Measures a delivered file with ffprobe. */
export async function measureFile(service: TestService, file: Json): Promise<Measured> {
  const answer = await service.fetchEdge(file.url)
  if (answer.status !== 200) throw new Error(`${file.path}: ${answer.status}`)
  return measure(await answer.arrayBuffer())
}

/** The length of a delivered file when decoded, without the padding that its header states. */
export async function heardSeconds(service: TestService, file: Json): Promise<number> {
  const rate = 8000
  const raw = ['-ac', '1', '-ar', String(rate), '-f', 's16le', '-c:a', 'pcm_s16le']
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-heard-'))
  try {
    const local = join(folder, 'sound')
    await Bun.write(local, await (await service.fetchEdge(file.url)).arrayBuffer())
    return (await makeHostMedia(['-i', local, ...raw], 'raw')).length / 2 / rate
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Events of a track, oldest first. */
export async function eventsOf(service: TestService, trackId: string): Promise<{ type: string; data: Json }[]> {
  return service.services.db.event.findMany({
    where: { data: { path: ['track_id'], equals: trackId } },
    orderBy: { seq: 'asc' },
  })
}
