import * as bun from 'bun:test'
import { isOnBucket } from './storage.ts'

/** `test` and `describe` for rules that only a storage folder has. A test run on buckets reports them as skipped. */
export const test = bun.test.skipIf(isOnBucket)
export const describe = bun.describe.skipIf(isOnBucket)
