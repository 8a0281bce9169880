import { access, constants, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { INCOMING } from '../../domain/upload-address/incoming.ts'
import { freeScratchBytes } from '../../platform/media/ffmpeg/scratch.ts'
import { readFreeBytes } from '../../platform/storage/free-space.ts'
import { CHECK_KEY, createS3Storage } from '../../platform/storage/s3.ts'
import { createS3Requests, type S3Settings } from '../../platform/storage/s3-client.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { MIN_FREE_BYTES, writers } from '../readiness.ts'
import { clockFinding } from './database.ts'
import { type Check, type DoctorFinding, describeError, guide, mebibytes, ok, problem, warning } from './finding.ts'

const S3_SETTINGS = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']
/** Never written by a bucket that supports conditional copies. */
const COPY_KEY = `${CHECK_KEY}-copy`
/** Validity of the presigned address, and time for the answer. */
const PREFLIGHT_SECONDS = 5

export const storageChecks: Check[] = [
  {
    name: 'storage',
    settings: ['STORAGE', 'DATA_DIR', 'ROLES', ...S3_SETTINGS],
    run: (config) => (config.storage.kind === 's3' ? checkBucket(config.storage) : checkFolder(config)),
  },
  { name: 'cors', settings: ['STORAGE', 'PUBLIC_URL', 'PORT', ...S3_SETTINGS], run: checkCors },
  { name: 'scratch', settings: ['ROLES'], run: checkScratch },
]

async function checkFolder({ dataDir, roles }: Config): Promise<DoctorFinding[]> {
  const folder = resolve(dataDir, 'storage')
  const remedy = 'Let the user of the service write to it, or set DATA_DIR to another folder.'
  const existing = await nearest(folder)
  if (!existing.isFolder) return [problem(`${existing.path} is not a folder`, remedy)]
  try {
    await access(existing.path, constants.W_OK | constants.X_OK)
  } catch (error) {
    return [problem(`${existing.path} is not writable (${(error as NodeJS.ErrnoException).code})`, remedy)]
  }
  const place = existing.path === folder ? folder : `${folder}, which the first start creates`
  const isWriter = roles.some((role) => writers.storage.includes(role))
  return [spaceFinding(place, await readFreeBytes(existing.path), isWriter)]
}

/** Finds a path, or the nearest one above it that exists. */
async function nearest(path: string): Promise<{ path: string; isFolder: boolean }> {
  const fileStats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
    return null
  })
  return fileStats ? { path, isFolder: fileStats.isDirectory() } : nearest(dirname(path))
}

function spaceFinding(place: string, free: number, isWriter: boolean): DoctorFinding {
  const summary = `${place}: ${mebibytes(free)} are free`
  if (free >= MIN_FREE_BYTES || !isWriter) return ok(summary)
  return problem(`${summary}, at least ${mebibytes(MIN_FREE_BYTES)} are required`, 'Free or add space.')
}

async function checkScratch({ roles }: Config): Promise<DoctorFinding[]> {
  return [spaceFinding('TMPDIR', await freeScratchBytes(), roles.includes('worker'))]
}

/** Tries the permissions that the service needs. Each is tried although another is missing. */
async function checkBucket(settings: S3Settings): Promise<DoctorFinding[]> {
  const storage = createS3Storage(settings)
  const requests = createS3Requests(settings)
  const place = `${settings.bucket} at ${settings.endpoint}`
  const answered = await requests
    .send({ operation: 'check', method: 'HEAD', key: CHECK_KEY, accepts: [403, 404] })
    .catch((error: unknown) => error as Error)
  if (answered instanceof Error) {
    const remedy = 'Check S3_ENDPOINT, and that this host reaches it.'
    return [problem(`${place} does not answer: ${describeError(answered.cause ?? answered)}`, remedy)]
  }
  const date = Date.parse(answered.headers.get('date') ?? '')
  const attempts: [permission: string, () => Promise<unknown>][] = [
    ['s3:PutObject', () => storage.check()],
    ['s3:ListBucket', async () => storage.presign?.list(INCOMING, null)],
    ['s3:DeleteObject', () => removeCopy(storage)],
    ['s3:ListMultipartUploadParts, s3:AbortMultipartUpload', () => tryParts(storage)],
  ]
  const findings: DoctorFinding[] = []
  for (const [permission, attempt] of attempts) {
    await attempt().catch((error: unknown) => {
      const remedy = `Check the S3 settings, and allow ${permission} for the key; ${guide('S3')}.`
      findings.push(problem(`${place}: ${permission} fails: ${describeError(error)}`, remedy))
    })
  }
  if (findings.length === 0) {
    findings.push(ok(`${place} is writable, can be listed, takes parts, and objects can be removed`))
    findings.push(await checkConditions(storage, place))
  }
  // The time of an answer has whole seconds.
  return Number.isNaN(date) ? findings : [...findings, clockFinding((Date.now() - date) / 1000 - 0.5, "the bucket's")]
}

async function removeCopy(storage: Storage): Promise<void> {
  const [failure] = await storage.remove([COPY_KEY])
  if (failure) throw failure.error
}

/** Begins an upload in parts, and removes it. */
async function tryParts({ presign }: Storage): Promise<void> {
  const upload = await presign?.parts.begin(COPY_KEY)
  if (!upload) return
  try {
    await presign?.parts.list(upload)
  } finally {
    await presign?.parts.abort(upload)
  }
}

/** Copies an object on the condition that it has a version that it does not have. */
async function checkConditions(storage: Storage, place: string): Promise<DoctorFinding> {
  const remedy = `Use a store that supports x-amz-copy-source-if-match; ${guide('S3')}.`
  const version = { bytes: 0, etag: '"00000000000000000000000000000000"' }
  try {
    const isCopied = await storage.presign?.copyVersion(CHECK_KEY, COPY_KEY, version)
    if (!isCopied) return ok(`${place} supports conditional copies`)
    await removeCopy(storage)
    return problem(`${place} copies an object whose version does not fit the condition`, remedy)
  } catch (error) {
    return problem(`${place} does not support conditional copies: ${describeError(error)}`, remedy)
  }
}

/**
 * Asks the bucket as a browser on a page of PUBLIC_URL does before it uploads. Playback does not need it: files of a
 * bucket are delivered by the edge.
 */
async function checkCors({ storage: settings, publicUrl }: Config): Promise<DoctorFinding[]> {
  if (settings.kind !== 's3') return [ok('uploads are sent to the edge, which allows all origins')]
  const { origin } = new URL(publicUrl)
  // The rules are those of the bucket, whichever of its addresses is asked. The public one may be of use to clients only.
  const { endpoint: publicEndpoint } = settings
  const url = createS3Storage({ ...settings, publicEndpoint }).presign?.putUrl(CHECK_KEY, PREFLIGHT_SECONDS) ?? ''
  const response = await fetch(url, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' },
    signal: AbortSignal.timeout(1000 * PREFLIGHT_SECONDS),
  })
  const allowed = (name: string) => (response.headers.get(`access-control-allow-${name}`) ?? '').split(/, */)
  const isAllowed = allowed('origin').some((value) => value === '*' || value === origin)
  if (response.ok && isAllowed && allowed('methods').includes('PUT')) return [ok(`browsers on ${origin} may upload`)]
  const summary = `browsers on ${origin} may not upload: the bucket does not allow PUT from that origin (status ${response.status})`
  return [warning(summary, `Add a CORS rule to the bucket, for the origins of all pages that upload; ${guide('S3')}.`)]
}
