// A service whose bucket is on an S3 server of another project, with the settings of the guide "Run in production".
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AwsClient } from 'aws4fetch'
import { root } from '../../../.config/once.ts'
import { sendFile } from '../../../src/client/upload.ts'
import { createS3Storage } from '../../../src/platform/storage/s3.ts'
import type { Storage, UploadedObject } from '../../../src/platform/storage/storage.ts'
import {
  cleanUp,
  createPlace,
  type Place,
  runMain,
  type ServiceProcess,
  startProcess,
  untilStatus,
  uploadTo,
} from '../../faults/process.ts'
import { tone } from '../../support/audio.ts'
import type { Json } from '../../support/service.ts'
import { type Ceph, missingCeph, startCeph } from './ceph.ts'

setDefaultTimeout(120_000)

const BUCKET = 'tonearm'
const PART_BYTES = 5 << 20

/** Examples of the guide in JSON, as the AWS command line takes them. */
const guide = readFileSync(join(root, 'src/web/docs/guides/run-in-production.md'), 'utf8')
const [cors, lifecycle] = [...guide.matchAll(/^```json\n([\s\S]*?)^```$/gm)]
  .map(([, text = '']) => JSON.parse(text))
  .filter(({ CORSRules, Rules }) => CORSRules || Rules)

/** The same as XML, which S3 takes: a list `AllowedOrigins` is several `AllowedOrigin`. */
const toXml = (value: Json): string =>
  Object.entries(value)
    .flatMap(([name, field]) =>
      Array.isArray(field) ? field.map((item) => [name.replace(/s$/, ''), item]) : [[name, field]],
    )
    .map(([name, field]) => `<${name}>${typeof field === 'object' ? toXml(field) : field}</${name}>`)
    .join('')

/** Asks what is missing of an upload in parts. */
async function askForParts(url: string, bytes: number): Promise<Json> {
  return (await fetch(url, { method: 'POST', headers: { 'upload-length': String(bytes) } })).json()
}

describe.skipIf(missingCeph.length > 0)('a bucket of Ceph (Debian: ceph-mon, ceph-osd, radosgw)', () => {
  let ceph: Ceph
  let place: Place
  let service: ServiceProcess
  let aws: AwsClient
  const settings = () => ({ endpoint: ceph.endpoint, bucket: BUCKET, region: 'default', ...ceph.keys })
  beforeAll(async () => {
    ceph = await startCeph()
    aws = new AwsClient({ ...ceph.keys, service: 's3', region: 'default', retries: 0 })
    expect((await aws.fetch(`${ceph.endpoint}/${BUCKET}`, { method: 'PUT' })).status).toBe(200)
    place = await createPlace({
      STORAGE: 's3',
      S3_ENDPOINT: ceph.endpoint,
      S3_BUCKET: BUCKET,
      S3_REGION: 'default',
      S3_ACCESS_KEY_ID: ceph.keys.accessKeyId,
      S3_SECRET_ACCESS_KEY: ceph.keys.secretAccessKey,
    })
    service = await startProcess(place)
  }, 300_000)
  afterAll(async () => {
    if (place) await cleanUp(place)
    await ceph?.stop()
  })

  test.each([
    ['cors', 'CORSConfiguration', () => ({ CORSRule: cors.CORSRules })],
    ['lifecycle', 'LifecycleConfiguration', () => lifecycle],
  ])('accepts the example of the guide: %s', async (name, element, value) => {
    const body = `<${element}>${toXml(value())}</${element}>`
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
    const answer = await aws.fetch(`${ceph.endpoint}/${BUCKET}?${name}`, { method: 'PUT', headers, body })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
  })

  test('allows uploads by browsers from the origin of the example', async () => {
    const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'PUT' }
    const answer = await fetch(`${ceph.endpoint}/${BUCKET}/incoming/a`, { method: 'OPTIONS', headers })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, 'https://app.example.com'])
  })

  test('a recording is uploaded to a presigned address, noticed, processed and delivered', async () => {
    const trackId = await uploadTo(service, await tone(3))
    // Every minute it would be noticed without one.
    const { stdout } = await runMain(place, ['admin', 'notification-token'])
    const { notification_token } = JSON.parse(stdout)
    const notified = await fetch(`${service.edgeUrl}/upload/notification`, {
      method: 'POST',
      headers: { authorization: `Bearer ${notification_token}` },
      body: JSON.stringify({ Records: [{ s3: { object: { key: `incoming/${trackId}` } } }] }),
    })
    expect(notified.status).toBe(200)
    await untilStatus(service, trackId, ['ready'])
    const [file] = (await service.v1('GET', `/track/${trackId}`)).json.files
    const whole = new Uint8Array(await (await fetch(file.url)).arrayBuffer())
    expect(whole.length).toBeGreaterThan(10_000)
    const range = await fetch(file.url, { headers: { range: 'bytes=1000-1999' } })
    expect([range.status, new Uint8Array(await range.arrayBuffer())]).toEqual([206, whole.slice(1000, 2000)])
  })

  test('a recording arrives in parts, of their signed lengths only, without a notification', async () => {
    const bytes = new Uint8Array(20 << 20)
    // Bytes after the samples of a WAV file are allowed.
    bytes.set(await tone(3))
    const body = { collection_id: service.credentials.collection_id, file_name: 'long.wav' }
    const { track_id, track_upload } = (await service.v1('POST', '/track', body)).json
    const [part] = (await askForParts(track_upload.parts_url, bytes.length)).parts
    const wrong = await fetch(part.upload_url, { method: 'PUT', body: bytes.slice(0, part.bytes + 1) })
    expect(wrong.status).toBe(403)
    await sendFile(new Blob([bytes]), track_upload)
    expect(await askForParts(track_upload.parts_url, bytes.length)).toMatchObject({ is_complete: true, parts: [] })
    expect((await fetch(part.upload_url, { method: 'PUT', body: bytes.slice(0, part.bytes) })).status).toBe(404)
    await untilStatus(service, track_id, ['ready'])
  })

  test('parts of a cancelled upload are removed', async () => {
    const { presign } = createS3Storage(settings())
    const upload = await presign?.parts.begin('cancelled')
    if (!upload) throw new Error('no uploads in parts')
    const [address = ''] = (await presign?.parts.putUrls(upload, [{ number: 1, bytes: 10 }], 60)) ?? []
    expect((await fetch(address, { method: 'PUT', body: new Uint8Array(10) })).status).toBe(200)
    expect(await presign?.parts.list(upload)).toMatchObject([{ number: 1, bytes: 10 }])
    await presign?.parts.abort(upload)
    expect(await presign?.parts.list(upload)).toBeNull()
    await presign?.parts.abort(upload)
  })

  /** Writes an object twice. @returns both versions */
  async function writeVersions({ presign }: Storage, bytes: number): Promise<UploadedObject[]> {
    if (!presign) throw new Error('no presigned uploads')
    const versions: UploadedObject[] = []
    for (const fill of [1, 2]) {
      const put = await fetch(presign.putUrl('version', 60), { method: 'PUT', body: new Uint8Array(bytes).fill(fill) })
      const version = await presign.find('version')
      if (put.status !== 200 || !version) throw new Error(`the bucket refused an object: ${put.status}`)
      versions.push(version)
    }
    return versions
  }

  test('doctor finds whether it compares the version of a copy, and no other problem', async () => {
    const storage = createS3Storage(settings())
    const [old] = await writeVersions(storage, 1000)
    if (!old) throw new Error('no version')
    const isCompared = !(await storage.presign?.copyVersion('version', 'copy', old))
    const { stdout } = await runMain(place, ['doctor', '--json'])
    const findings: Json[] = JSON.parse(stdout).filter(({ check }: Json) => check === 'storage')
    expect(findings.length).toBeGreaterThan(0)
    // Ceph 16 copies any version.
    const problems = findings.filter(({ level }) => level !== 'ok').map((finding) => finding.found)
    expect(problems).toEqual(isCompared ? [] : [expect.stringContaining('whose version does not fit the condition')])
  })

  test.each([
    ['whole', 1 << 20],
    ['in parts', 2 * PART_BYTES + 1000],
  ])('copies an object: %s', async (_, bytes) => {
    const storage = createS3Storage(settings(), undefined, { copyPartBytes: PART_BYTES })
    const [, current] = await writeVersions(storage, bytes)
    if (!current) throw new Error('no version')
    expect(await storage.presign?.copyVersion('version', 'copy', current)).toBe(true)
    expect(await storage.size('copy')).toBe(bytes)
    const end = await storage.read('copy', bytes - 2, bytes)
    expect(new Uint8Array(await new Response(end).arrayBuffer())).toEqual(new Uint8Array([2, 2]))
    expect(await storage.remove(['copy', 'version', 'absent'])).toEqual([])
    expect([await storage.size('copy'), await storage.size('version')]).toEqual([null, null])
    expect(await storage.presign?.copyVersion('version', 'copy', current)).toBe(false)
  })

  test('receives an object in parts, which does not exist until it is complete', async () => {
    const storage = createS3Storage(settings())
    const chunk = new Uint8Array(1 << 20).fill(7)
    const body = async function* () {
      for (let count = 0; count < 20; count++) yield chunk
    }
    const incoming = await storage.receive('received', body(), { maxBytes: 1 << 30 })
    expect(await storage.size('received')).toBeNull()
    await incoming.commit()
    expect([await storage.size('received'), incoming.bytes]).toEqual([20 << 20, 20 << 20])
    const discarded = await storage.receive('discarded', body(), { maxBytes: 1 << 30 })
    await discarded.discard()
    expect(await storage.size('discarded')).toBeNull()
  })
})
