import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readSync } from 'node:fs'
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOpenFiles } from '../../../src/platform/storage/open-files.ts'
import { until } from '../../support/until.ts'

const FILES = 10
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-open-'))
  for (let i = 0; i < FILES; i++) await writeFile(join(folder, String(i)), `bytes of ${i}`)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const pathOf = (key: string) => join(folder, key)
const textOf = (descriptor: number) => {
  const bytes = Buffer.alloc(20)
  return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, 20, 0))
}

/** Names of the files in the folder that this process has open. */
async function openNames(): Promise<string[]> {
  const links = await readdir('/proc/self/fd')
  const targets = await Promise.all(links.map((link) => readlink(`/proc/self/fd/${link}`).catch(() => '')))
  return targets.filter((target) => target.startsWith(folder)).map((target) => target.slice(folder.length + 1))
}

test('a file stays open between reads, and is closed after the last one', async () => {
  let opened = 0
  const counted = (key: string) => {
    opened += 1
    return pathOf(key)
  }
  const descriptorOf = createOpenFiles(counted, { sweepMs: 50 })
  expect([0, 1, 2].map(() => textOf(descriptorOf('0')))).toEqual(['bytes of 0', 'bytes of 0', 'bytes of 0'])
  expect(opened).toBe(1)
  expect(await openNames()).toEqual(['0'])
  await until('the file to be closed', 20_000, async () => (await openNames()).length === 0)
  expect(textOf(descriptorOf('0'))).toBe('bytes of 0')
  expect(opened).toBe(2)
})

test('no more files are open than the bound', async () => {
  const descriptorOf = createOpenFiles(pathOf, { maxOpen: 4 })
  const before = (await openNames()).length
  for (const round of [1, 2]) {
    for (let i = 0; i < FILES; i++) expect([round, textOf(descriptorOf(String(i)))]).toEqual([round, `bytes of ${i}`])
    await until('the others to be closed', 20_000, async () => (await openNames()).length - before <= 4)
  }
  // Those that are read again and again remain.
  descriptorOf('8')
  const descriptor = descriptorOf('9')
  for (const other of ['1', '2', '3']) {
    descriptorOf(other)
    expect(descriptorOf('9')).toBe(descriptor)
  }
})

test('files are closed by a thread, because a disk may not answer', async () => {
  const before = (await openNames()).length
  const descriptorOf = createOpenFiles(pathOf, { maxOpen: 2 })
  const descriptors = Array.from({ length: FILES }, (_, i) => descriptorOf(String(i)))
  // A closed descriptor is used again. The thread closes the next file when the event loop is free.
  expect(new Set(descriptors).size).toBeGreaterThanOrEqual(FILES - 1)
  await until('the others to be closed', 20_000, async () => (await openNames()).length - before <= 2)
})

test('a file that does not exist is an error, and is found when it does', async () => {
  const descriptorOf = createOpenFiles(pathOf)
  expect(() => descriptorOf('later')).toThrow('ENOENT')
  await writeFile(pathOf('later'), 'bytes of later')
  expect(textOf(descriptorOf('later'))).toBe('bytes of later')
})
