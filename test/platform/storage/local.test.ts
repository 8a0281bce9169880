import { afterAll, beforeAll, expect, test } from 'bun:test'
import { link, mkdir, mkdtemp, readdir, rm, statfs, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalStorage, foldersToSync } from '../../../src/platform/storage/local.ts'
import { type Storage, StorageError } from '../../../src/platform/storage/storage.ts'

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

test.each([
  { created: undefined, folders: '/s/a/b' },
  { created: '/s/a/b', folders: '/s/a/b /s/a' },
  { created: '/s/a', folders: '/s/a/b /s/a /s' },
])('an object is durable with the folders that were created for it: $created', ({ created, folders }) => {
  expect(foldersToSync('/s/a/b', created).join(' ')).toBe(folders)
})

test('an object in new folders is stored', async () => {
  const storage = createLocalStorage(join(folder, 'nested'))
  const local = join(folder, 'nested-source')
  await writeFile(local, 'sound')
  await storage.put('a/b/c/object', local, 'audio/wav')
  await storage.copy('a/b/c/object', 'd/e/object')
  expect(await storage.size('d/e/object')).toBe(5)
})

test('unfinished files are removed by the time at which they were written or linked', async () => {
  const storage = createLocalStorage(join(folder, 'unfinished'))
  await storage.check()
  const old = join(folder, 'unfinished', 'old')
  const linked = join(folder, 'unfinished/.incoming/linked')
  await writeFile(old, 'sound')
  await utimes(old, new Date(0), new Date(0))
  await link(old, linked)
  await storage.removeUnfinished(new Date(Date.now() - 60_000))
  expect(await readdir(join(folder, 'unfinished/.incoming'))).toEqual(['linked'])
  await storage.removeUnfinished(new Date(Date.now() + 60_000))
  expect(await readdir(join(folder, 'unfinished/.incoming'))).toEqual([])
})

test.each(['nothing', 'folder', 'object/below'])('%s is no object, while the folder exists', async (key) => {
  const root = join(folder, `absent-${key.replace('/', '-')}`)
  const storage = createLocalStorage(root)
  await storage.check()
  await writeFile(join(root, 'object'), 'bytes')
  await mkdir(join(root, 'folder'))
  expect([await storage.read(key, 0, 1), await storage.size(key)]).toEqual([null, null])
  expect(await storage.size('object')).toBe(5)
  await rm(root, { recursive: true })
  await expect(storage.size('object')).rejects.toThrow('ENOENT')
})

test('a short range is read without waiting; a longer, incomplete or absent one is left to read', async () => {
  const storage = createLocalStorage(join(folder, 'now'))
  await storage.check()
  const bytes = new Uint8Array(200_000).map((_, i) => i % 251)
  await writeFile(join(folder, 'now/object'), bytes)
  const read = (start: number, end: number, key = 'object') => storage.readNow?.(key, start, end)
  expect(read(0, 1)).toBeNull()
  await storage.read('object', 0, 1)
  expect(Buffer.compare(read(100, 131_172) ?? new Uint8Array(), bytes.subarray(100, 131_172))).toBe(0)
  expect(read(199_999, 200_000)).toEqual(Buffer.from(bytes.subarray(199_999)))
  expect([read(100, 131_173), read(199_999, 200_001), read(0, 1, 'nothing'), read(0, 1, '../outside')]).toEqual([
    null,
    null,
    null,
    null,
  ])
})

test.each<[string, (storage: Storage, source: string) => Promise<unknown>]>([
  ['put', (storage, source) => storage.put('files/taken', source, 'audio/wav')],
  ['copy', (storage) => storage.copy('files/source', 'files/taken')],
  [
    'an upload in pieces',
    async (storage) => {
      const body = async function* () {
        yield new Uint8Array(3)
      }
      await storage.pieces?.append('id', 0, body(), { maxBytes: 3 })
      await (await storage.pieces?.finish('id', 'files/taken', 3))?.commit()
    },
  ],
])('%s leaves no temporary file when the object cannot be placed', async (name, place) => {
  const root = join(folder, `failing-${name}`)
  const storage = createLocalStorage(root)
  await storage.check()
  const source = join(folder, 'source')
  await writeFile(source, 'abc')
  await storage.put('files/source', source, 'audio/wav')
  // rename() replaces no folder that has an entry.
  await mkdir(join(root, 'files/taken/entry'), { recursive: true })
  await expect(place(storage, source)).rejects.toBeInstanceOf(StorageError)
  expect((await readdir(join(root, '.incoming'))).filter((file) => !file.endsWith('.part'))).toEqual([])
})

test('a shorter upload in pieces is not extended by zeros', async () => {
  const storage = createLocalStorage(join(folder, 'short'))
  const body = async function* () {
    yield new Uint8Array(3)
  }
  await storage.pieces?.append('id', 0, body(), { maxBytes: 3 })
  await expect(storage.pieces?.finish('id', 'files/a', 4)).rejects.toThrow('3 of its 4 bytes')
  expect(await storage.pieces?.size('id')).toBe(3)
})
