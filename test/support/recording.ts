import type { TestService } from './service.ts'

type Stored = Pick<TestService, 'objects' | 'demo'>

/** Keys of a track's recordings: one for each upload whose bytes are kept. */
export async function recordingsOf({ objects, demo }: Stored, trackId: string): Promise<string[]> {
  const keys = await objects.keys(`source/${demo.organization_id}/${trackId}`)
  return keys.filter((key) => !key.endsWith('.cover'))
}

/** Key of the only recording of a track. @throws when there are several, or none */
export async function recordingOf(service: Stored, trackId: string): Promise<string> {
  const [key, ...others] = await recordingsOf(service, trackId)
  if (key === undefined || others.length > 0) throw new Error(`${trackId} has not exactly one recording`)
  return key
}

/** Replaces the bytes of the only recording of a track, as if these had been uploaded. */
export async function replaceRecording(service: TestService, trackId: string, bytes: Uint8Array<ArrayBuffer>) {
  await service.objects.write(await recordingOf(service, trackId), bytes)
  const sourceSha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  await service.services.db.track.update({ where: { id: trackId }, data: { sourceSha256 } })
}

/** Bytes of the only recording of a track. */
export async function recordedBytes(service: Stored, trackId: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await service.objects.read(await recordingOf(service, trackId))
  if (!bytes) throw new Error(`the recording of ${trackId} is not stored`)
  return bytes
}
