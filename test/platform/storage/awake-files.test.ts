import { afterAll, beforeAll, expect, test } from 'bun:test'
import { constants } from 'node:fs'
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAwakeFiles } from '../../../src/platform/storage/awake-files.ts'
import { createLocalStorage } from '../../../src/platform/storage/local.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a file is read on the event loop for two seconds after a thread has read it', async () => {
  await writeFile(join(folder, 'a'), 'abc')
  let now = 5_000
  const files = createAwakeFiles(
    (key) => join(folder, key),
    1_000,
    () => now,
  )
  expect(files.isAwake('a')).toBe(false)
  expect((await files.wake('a')).size).toBe(3)
  expect(files.isAwake('a')).toBe(true)
  now += 1_999
  expect(files.isAwake('a')).toBe(true)
  now += 1
  expect(files.isAwake('a')).toBe(false)
  await expect(files.wake('absent')).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a disk that does not answer fails a read and stops nothing else', async () => {
  const root = join(folder, 'hanging')
  const storage = createLocalStorage(root, { answerMs: 20 })
  await mkdir(join(root, 'files'), { recursive: true })
  // Opening a pipe without a writer waits, as a file does whose server does not answer.
  const pipe = join(root, 'files/a')
  expect(await Bun.spawn(['mkfifo', pipe]).exited).toBe(0)
  expect(storage.readNow?.('files/a', 0, 1)).toBeNull()
  await expect(storage.read('files/a', 0, 1)).rejects.toMatchObject({ name: 'StorageError' })
  await expect(storage.size('files/a')).rejects.toMatchObject({ name: 'StorageError' })
  await storage.check()
  // Ends the waiting thread.
  await using _writer = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK)
})

test('a disk that stops to answer is not read on the event loop any more', async () => {
  const root = join(folder, 'stopping')
  let now = 5_000
  const storage = createLocalStorage(root, { answerMs: 20, now: () => now })
  await mkdir(join(root, 'files'), { recursive: true })
  const path = join(root, 'files/a')
  await writeFile(path, 'abc')
  expect(await storage.size('files/a')).toBe(3)
  expect(Buffer.from(storage.readNow?.('files/a', 0, 3) ?? []).toString()).toBe('abc')
  now += 2_000
  await rm(path)
  expect(await Bun.spawn(['mkfifo', path]).exited).toBe(0)
  expect(storage.readNow?.('files/a', 0, 3)).toBeNull()
  await expect(storage.size('files/a')).rejects.toMatchObject({ name: 'StorageError' })
  await using _writer = await open(path, constants.O_RDWR | constants.O_NONBLOCK)
})
