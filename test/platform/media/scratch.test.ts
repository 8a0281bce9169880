import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sweepScratch, withScratch } from '../../../src/platform/media/ffmpeg/scratch.ts'

const HOUR_MS = 3_600_000
const { TMPDIR } = process.env
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-sweep-'))
  process.env.TMPDIR = folder
})
afterEach(async () => {
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
  await rm(folder, { recursive: true })
})

const now = Date.now()
/** Makes a folder that was marked this long ago. */
async function make(name: string, ageMs: number): Promise<void> {
  await mkdir(join(folder, name, 'work'), { recursive: true })
  await age(join(folder, name), ageMs)
}
const age = (path: string, ageMs: number) => utimes(path, new Date(now), new Date(now - ageMs))

describe('a sweep of the scratch folders', () => {
  test.each([
    { owner: 'a process that has ended', pid: Bun.spawnSync(['true']).pid },
    { owner: 'a process with the id of this one, in an earlier container', pid: process.pid },
    { owner: 'a process with the id of one that lives', pid: 1 },
  ])('removes folders of $owner after an hour', async ({ pid }) => {
    await make(`tonearm-${pid}-old`, HOUR_MS + 1000)
    await make(`tonearm-${pid}-new`, HOUR_MS - 1000)
    expect(await sweepScratch(now)).toBe(1)
    expect(await readdir(folder)).toEqual([`tonearm-${pid}-new`])
  })

  test('keeps the folders of running jobs, however long they run, and marks them for other processes', async () => {
    await withScratch(async ({ work }) => {
      const ownFolder = dirname(work)
      await age(ownFolder, 100 * HOUR_MS)
      expect(await sweepScratch(now)).toBe(0)
      expect((await stat(ownFolder)).mtimeMs).toBeCloseTo(now, -1)
    })
    expect(await readdir(folder)).toEqual([])
  })

  test('keeps everything that is not a scratch folder', async () => {
    await make('tonearm-data', 100 * HOUR_MS)
    await make('other', 100 * HOUR_MS)
    await Bun.write(join(folder, 'tonearm-1-file'), '')
    await age(join(folder, 'tonearm-1-file'), 100 * HOUR_MS)
    expect(await sweepScratch(now)).toBe(0)
    expect(await readdir(folder)).toHaveLength(3)
  })
})

describe('scratch of a killed attempt', () => {
  const jobId = Bun.randomUUIDv7()
  const folder = (pid: number, owner: string) => join(tmpdir(), `tonearm-${pid}-${owner}-abcdef`)

  test('is removed when its job is taken again, and that of other jobs and of running attempts is not', async () => {
    const other = Bun.randomUUIDv7()
    // A process of this host, and one of another container that has the same id as this process.
    const killed = [folder(1, jobId), folder(process.pid, jobId)]
    const otherFolder = folder(1, other)
    for (const path of [...killed, otherFolder]) await Bun.write(join(path, 'work', 'file'), 'bytes')
    try {
      await withScratch(
        async (running) => {
          expect(killed.map((path) => existsSync(path))).toEqual([false, false])
          expect(existsSync(otherFolder)).toBe(true)
          await withScratch(async () => expect(existsSync(running.work)).toBe(true), { jobId })
        },
        { jobId },
      )
    } finally {
      for (const path of [...killed, otherFolder]) rmSync(path, { recursive: true, force: true })
    }
  })
})

describe('space that a run reserves', () => {
  const free = async () => 1000
  const full = expect.objectContaining({ name: 'HostFault', code: 'disk_full' })

  test('is at most what is free', async () => {
    await withScratch(
      async ({ reserve }) => {
        await reserve(1000)
        expect(reserve(1001)).rejects.toEqual(full)
      },
      { freeBytes: free },
    )
  })

  test('is not available to other runs, even at the same time', async () => {
    await withScratch(
      async (one) => {
        await withScratch(
          async (other) => {
            const both = await Promise.allSettled([one.reserve(600), other.reserve(600)])
            expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
            await other.reserve(400)
          },
          { freeBytes: free },
        )
        await one.reserve(1000)
      },
      { freeBytes: free },
    )
  })

  test('counts files that are written once', async () => {
    const written = new Uint8Array(500)
    await withScratch(
      async (one) => {
        await one.reserve(600)
        await Bun.write(join(one.work, 'file'), written)
        await withScratch(
          async (other) => {
            // 500 bytes remain on the disk, and 100 of them are reserved.
            await other.reserve(400)
            expect(other.reserve(401)).rejects.toEqual(full)
          },
          { freeBytes: async () => 500 },
        )
      },
      { freeBytes: free },
    )
  })
})
