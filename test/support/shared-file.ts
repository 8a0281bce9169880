import { join } from 'node:path'
import { Client } from 'pg'
import { joinEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { createTrack, type Place, type ServiceProcess, untilStatus } from '../faults/process.ts'
import { openWith } from './signing-secret.ts'

/** Reads the secret that signs delivery addresses of the demo organization. */
export async function readSigningSecret({ env: { DATA_DIR = '' } }: Place): Promise<string> {
  const postgres = await joinEmbeddedPostgres(join(DATA_DIR, 'postgres'))
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  const { rows } = await client.query('SELECT signing_secrets FROM organization')
  await client.end()
  return openWith(await Bun.file(join(DATA_DIR, 'secret')).text(), rows[0].signing_secrets[0])
}

/** Uploads a recording. @returns the path of its original file, and that of all its files */
export async function uploadShared(service: ServiceProcess, sound: Uint8Array<ArrayBuffer>) {
  const { id: trackId, uploadUrl, basePath } = await createTrack(service)
  const put = await fetch(uploadUrl, { method: 'PUT', body: new Blob([sound]) })
  if (put.status !== 200) throw new Error(`upload: ${put.status}`)
  await untilStatus(service, trackId, ['ready'])
  const key = { title: 'Original', api_key_type_id: 'share', variants: ['original'] }
  const { json } = await service.v1('POST', '/api_key', key)
  const link = await service.v1('GET', `/stream/${trackId}/${json.api_key}`)
  return { trackId, basePath, path: new URL(link.headers.get('location') ?? '').pathname }
}
