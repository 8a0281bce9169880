// The page of an upload session, where recordings are uploaded to a bucket.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createS3Storage } from '../../src/platform/storage/s3.ts'
import { type Bucket, startBucket } from '../support/bucket.ts'
import { bucketEnv } from '../support/storage.ts'
import { until } from '../support/until.ts'
import { openSite, type Site } from './site.ts'

setDefaultTimeout(60_000)

const PART_BYTES = 8 << 20
const folder = mkdtempSync(join(tmpdir(), 'tonearm-bucket-'))
const bytes = new Uint8Array(randomBytes(3 * PART_BYTES))
let bucket: Bucket
let site: Site
beforeAll(async () => {
  bucket = await startBucket()
  site = await openSite(() => new Response('Another site'), bucketEnv(bucket))
  site.service.services.storage = createS3Storage(bucket.settings)
  site.page.setDefaultTimeout(15_000)
  writeFileSync(join(folder, 'long.wav'), bytes)
  writeFileSync(join(folder, 'short.wav'), bytes.subarray(0, 1000))
})
afterAll(async () => {
  await site?.stop()
  await bucket?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function open(): Promise<string> {
  const { page, service } = site
  const body = { collection_id: service.demo.collection_id }
  const { upload_session_id } = (await service.v1('POST', '/upload_session', { body })).json
  await page.goto(`${service.demo.base_url}/u/${upload_session_id}`)
  return upload_session_id
}
const row = (text: string) => site.page.getByRole('listitem').filter({ hasText: text })

test('an upload in parts that a reload has interrupted continues without the parts that the bucket has', async () => {
  const { page, service } = site
  const uploadSessionId = await open()
  const choose = () => page.locator('.drop input').setInputFiles(join(folder, 'long.wav'))
  // The last part never arrives.
  bucket.intercept(({ url }) => (url.includes('partNumber=3') ? new Promise<null>(() => {}) : null))
  await choose()
  await until('two parts', 15_000, () => bucket.unfinished.values().next().value?.size === 2)
  await page.reload()
  await page.getByText('An upload was interrupted.').filter({ hasText: 'long.wav' }).waitFor()
  bucket.reset()
  await choose()
  await row('Processing').waitFor()
  const sent = bucket.requests.flatMap((request) => /^PUT .*partNumber=(\d)/.exec(request)?.[1] ?? [])
  expect(sent).toEqual(['3'])
  const [track] = await service.services.db.track.findMany({ where: { uploadSessionId } })
  expect(await bucket.get(track?.sourceKey ?? '')).toEqual(bytes)
})

test('a small file is one request, which begins again after a pause', async () => {
  const { page } = site
  await open()
  bucket.reset()
  const begun = Promise.withResolvers<void>()
  bucket.intercept(({ method }) => {
    if (method !== 'PUT') return null
    begun.resolve()
    return new Promise<null>(() => {})
  })
  await page.locator('.drop input').setInputFiles(join(folder, 'short.wav'))
  await begun.promise
  bucket.intercept(null)
  await page.getByRole('button', { name: 'Pause: short.wav' }).click()
  await row('Paused').waitFor()
  await page.getByRole('button', { name: 'Continue: short.wav' }).click()
  await row('Processing').waitFor()
  expect(bucket.requests.filter((request) => request.startsWith('PUT'))).toHaveLength(2)
})
