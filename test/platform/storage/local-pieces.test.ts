import { expect, test } from 'bun:test'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../../src/platform/errors.ts'
import { createLocalPieces } from '../../../src/platform/storage/local-pieces.ts'

test('a writer that may not write any more leaves the bytes of another one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
  try {
    const handle = { key: 'k', commit: async () => {}, discard: async () => {} }
    const pieces = createLocalPieces(folder, Promise.resolve(), () => handle)
    const body = async function* () {
      yield new Uint8Array(10)
    }
    await pieces.append('id', 0, body(), { maxBytes: 10 })
    const beforeWrite = () => Promise.reject(new AppError('upload_in_use', 'Another request continues.'))
    await expect(pieces.append('id', 2, body(), { maxBytes: 10, beforeWrite })).rejects.toThrow('Another request')
    expect(await pieces.size('id')).toBe(10)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a disk that fails while an upload is finished is a fault of storage', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
  try {
    const handle = { key: 'k', commit: async () => {}, discard: async () => {} }
    const pieces = createLocalPieces(folder, Promise.resolve(), () => handle)
    // A device that cannot be truncated, and a file that is gone.
    await symlink('/dev/full', join(folder, 'broken.part'))
    for (const id of ['broken', 'gone']) {
      expect(await pieces.finish(id, 'k', 1).catch((error) => error)).toMatchObject({
        name: 'StorageError',
        operation: 'finish',
        key: 'k',
      })
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})
