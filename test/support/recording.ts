import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Paths of a track's recordings in a storage folder: one for each upload whose bytes are kept. */
export async function recordingsOf(dataDir: string, organizationId: string, trackId: string): Promise<string[]> {
  const folder = join(dataDir, 'storage', 'source', organizationId)
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => name.startsWith(trackId) && !name.endsWith('.cover')).map((name) => join(folder, name))
}

/** Path of the only recording of a track. @throws when there are several, or none */
export async function recordingOf(
  { dataDir, demo }: { dataDir: string; demo: { organization_id: string } },
  trackId: string,
): Promise<string> {
  const [path, ...others] = await recordingsOf(dataDir, demo.organization_id, trackId)
  if (path === undefined || others.length > 0) throw new Error(`${trackId} has not exactly one recording`)
  return path
}
