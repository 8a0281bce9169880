import { expect, test } from 'bun:test'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalPieces } from '../../../src/platform/storage/local-pieces.ts'

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
