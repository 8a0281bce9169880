import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalStorage } from '../../../src/platform/storage/local.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('concurrent checks are independent, and leave no files', async () => {
  const storage = createLocalStorage(join(folder, 'many'))
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => storage.check()))
  expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
  expect(await readdir(join(folder, 'many/.incoming'))).toEqual([])
})

test('a missing folder fails the check', async () => {
  const storage = createLocalStorage(join(folder, 'gone'))
  await storage.check()
  await rm(join(folder, 'gone'), { recursive: true })
  await expect(storage.check()).rejects.toThrow('ENOENT')
  await expect(storage.freeBytes()).rejects.toThrow('ENOENT')
})

test('free bytes are between none and all of the disk', async () => {
  const free = await createLocalStorage(join(folder, 'free')).freeBytes()
  const { blocks, bsize } = await statfs(folder)
  expect(free).toBeWithin(0, blocks * bsize)
})
