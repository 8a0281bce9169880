import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createLocalStorage } from '../../src/platform/storage/local.ts'
import { createS3Storage } from '../../src/platform/storage/s3.ts'
import type { Storage } from '../../src/platform/storage/storage.ts'
import { type Bucket, startBucket } from './bucket.ts'
import { TEST_STORAGE } from './server.ts'

/** Whether this test run uses buckets. */
export const isOnBucket = process.env[TEST_STORAGE] === 's3'

/** The objects of a service, past the service. */
export interface StoredObjects {
  /** Sorted keys of the objects with a prefix. */
  keys: (prefix?: string) => Promise<string[]>
  has: (key: string) => Promise<boolean>
  /** Null for an absent object. */
  read: (key: string) => Promise<Uint8Array<ArrayBuffer> | null>
  write: (key: string, bytes: Uint8Array<ArrayBuffer>) => Promise<void>
  remove: (key: string) => Promise<void>
  /** Uploads that are neither complete nor removed. */
  unfinished: () => Promise<string[]>
}

export interface TestStorage {
  storage: Storage
  objects: StoredObjects
  /** Settings of the service. */
  env: Record<string, string>
  /** Origin of presigned addresses. Null for a folder. */
  origin: string | null
  stop: () => Promise<void>
}

/** Creates the storage of a service: a folder, or a bucket if the test run uses these. */
export async function createTestStorage(dataDir: string): Promise<TestStorage> {
  if (!isOnBucket) return inFolder(join(dataDir, 'storage'))
  return inBucket(await startBucket())
}

/** The objects of a storage folder. */
export function objectsIn(root: string): StoredObjects {
  const pathOf = (key: string) => join(root, key)
  const list = async (folder: string) => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  }
  return {
    keys: async (prefix = '') => {
      const keys = (await list(root)).map((path) => path.slice(root.length + 1))
      return keys.filter((key) => key.startsWith(prefix) && !key.startsWith('.incoming/')).sort()
    },
    has: (key) => Bun.file(pathOf(key)).exists(),
    read: async (key) => {
      const file = Bun.file(pathOf(key))
      return (await file.exists()) ? file.bytes() : null
    },
    write: async (key, bytes) => {
      await mkdir(dirname(pathOf(key)), { recursive: true })
      // Not in place: the object may share its bytes with another one.
      await rm(pathOf(key), { force: true })
      await Bun.write(pathOf(key), bytes)
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    unfinished: () => list(join(root, '.incoming')),
  }
}

const inFolder = (root: string): TestStorage => ({
  storage: createLocalStorage(root),
  objects: objectsIn(root),
  env: {},
  origin: null,
  stop: async () => {},
})

/** Environment of a service that stores its objects in a bucket. */
export const bucketEnv = ({ settings }: Bucket) => ({
  STORAGE: 's3',
  S3_ENDPOINT: settings.endpoint,
  S3_BUCKET: settings.bucket,
  S3_REGION: settings.region,
  S3_ACCESS_KEY_ID: settings.accessKeyId,
  S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
})

function inBucket(bucket: Bucket): TestStorage {
  const { keys, get, put, remove, unfinished, settings, stop } = bucket
  const objects: StoredObjects = {
    keys: (prefix = '') => keys(prefix),
    has: async (key) => (await get(key)) !== null,
    read: get,
    write: async (key, bytes) => void (await put(key, bytes)),
    remove,
    unfinished: async () => [...unfinished.keys()],
  }
  const storage = createS3Storage(settings, undefined, { pauseMs: 1 })
  return { storage, objects, env: bucketEnv(bucket), origin: settings.endpoint, stop }
}
