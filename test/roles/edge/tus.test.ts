// Headers of tus 1.0 that describe an upload, and those that are not offered.
import { afterAll, beforeAll, expect } from 'bun:test'
import { test } from '../../support/folder-only.ts'
import { useTestService } from '../../support/service.ts'
import { listen } from '../../support/wire.ts'

const PIECE = 'application/offset+octet-stream'
const BYTES = new Uint8Array(3)
afterAll(() => server.stop())
const service = useTestService()
let server: ReturnType<typeof listen>
beforeAll(() => {
  server = listen(service)
})

async function newUpload() {
  const body = { collection_id: service.demo.collection_id, file_name: 'song.wav' }
  const { json } = await service.v1('POST', '/track', { body })
  return { id: json.track_id as string, url: json.track_upload.upload_url as string }
}
const send = (method: string, url: string, headers: Record<string, string> = {}, body?: BodyInit) =>
  fetch(server.at(url), { method, headers: { 'tus-resumable': '1.0.0', ...headers }, body })

test('Upload-Metadata of a POST is returned by HEAD, before and after the end', async () => {
  const { url } = await newUpload()
  const announce = (metadata: string) => send('POST', url, { 'upload-length': '3', 'upload-metadata': metadata })
  const readMetadata = async () => (await send('HEAD', url)).headers.get('upload-metadata')
  expect((await announce('filename c29uZy53YXY=,is_private')).status).toBe(201)
  expect(await readMetadata()).toBe('filename c29uZy53YXY=,is_private')
  // A refused request changes nothing.
  const refused = await send('POST', url, { 'upload-length': '4', 'upload-metadata': 'filename eA==' })
  expect(refused.status).toBe(400)
  expect(await readMetadata()).toBe('filename c29uZy53YXY=,is_private')
  expect((await announce('filename eHg=, type')).status).toBe(201)
  expect((await send('PATCH', url, { 'content-type': PIECE, 'upload-offset': '0' }, BYTES)).status).toBe(204)
  expect(await readMetadata()).toBe('filename eHg=, type')
  const preflight = await send('OPTIONS', url, { origin: 'https://app.test' })
  expect(preflight.headers.get('access-control-expose-headers')).toContain('Upload-Metadata')
})

const refusedHeaders: [what: string, headers: Record<string, string>, names: string][] = [
  ['a part to be concatenated', { 'upload-concat': 'partial' }, 'Upload-Concat'],
  ['a concatenation', { 'upload-concat': 'final;/upload/track/a /upload/track/b' }, 'Upload-Concat'],
  ['a checksum in a trailer', { trailer: 'Upload-Checksum' }, 'Upload-Checksum'],
  ['a deferred length other than 1', { 'upload-defer-length': '2' }, 'Upload-Defer-Length'],
  ['metadata without a key', { 'upload-metadata': '' }, 'Upload-Metadata'],
  ['metadata with an empty pair', { 'upload-metadata': 'a YQ==,,b YQ==' }, 'Upload-Metadata'],
  ['metadata that is not base64', { 'upload-metadata': 'filename song.wav' }, 'Upload-Metadata'],
  ['metadata with incomplete base64', { 'upload-metadata': 'filename YQ' }, 'Upload-Metadata'],
  ['metadata with two values', { 'upload-metadata': 'filename YQ== YQ==' }, 'Upload-Metadata'],
  ['metadata with a key twice', { 'upload-metadata': 'a YQ==,a Yg==' }, 'Upload-Metadata'],
  ['long metadata', { 'upload-metadata': `a ${'YQ=='.repeat(1200)}` }, 'Upload-Metadata'],
]
test.each(refusedHeaders)('refuses %s', async (_, headers, name) => {
  const { id, url } = await newUpload()
  const answer = await fetch(server.at(url), {
    method: 'POST',
    headers: { 'tus-resumable': '1.0.0', 'upload-length': '3', 'content-type': PIECE, ...headers },
    body: BYTES,
  })
  const { code, message } = await answer.json()
  expect([answer.status, code]).toEqual([400, 'invalid_input'])
  expect(message).toStartWith(`${name}: `)
  expect(await service.services.db.track.findUniqueOrThrow({ where: { id } })).toMatchObject({
    announcedBytes: null,
    uploadMetadata: null,
    uploadCompletedAt: null,
  })
})
