import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmod, mkdtemp, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTool } from '../../../src/platform/media/ffmpeg/run.ts'
import { wallMsFor } from '../../../src/platform/media/ffmpeg/time-limit.ts'
import { limitsFor } from '../../../src/platform/media/limits.ts'
import type { Probe } from '../../../src/platform/media/probe.ts'
import { sandboxedTools } from '../../support/tools.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs a shell script in the place of ffmpeg. @returns the code of what is thrown */
async function codeOf(script: string, cpuSeconds: number) {
  const ffmpeg = join(folder, `${crypto.randomUUID()}.sh`)
  await Bun.write(ffmpeg, `#!/bin/sh\n${script}\n`)
  await chmod(ffmpeg, 0o755)
  return runTool({ ...sandboxedTools, ffmpeg }, 'ffmpeg', [], { cpuSeconds }).then(
    ({ exitCode }) => exitCode,
    (error) => error.code,
  )
}

describe('a program', () => {
  test('that computes for ever is ended, and is not the fault of the host', async () => {
    expect(await codeOf('while :; do :; done', 1)).toBe('timed_out')
  })

  test('that ends itself when the kernel asks it to, as ffmpeg does, is not the fault of the host', async () => {
    expect(await codeOf('trap "exit 255" XCPU; while :; do :; done', 1)).toBe('timed_out')
  })

  test('that waits for ever is ended, and is the fault of the host', async () => {
    // More CPU time than the start of the sandbox takes on a busy machine.
    expect(await codeOf('sleep 60', 0.2)).toBe('deadline_missed')
  })

  test('that fails early keeps its own reason', async () => {
    expect(await codeOf('exit 3', 1)).toBe(3)
  })
})

const limited = { sandbox: ['prlimit', '--cpu=14400:14460'] }

test('where CPU time cannot be limited, wall time is', () => {
  expect(wallMsFor({ sandbox: ['nice', '-n', '19'] }, 60)).toBe(60_000)
  const { timeoutMs } = limitsFor(
    { ...sandboxedTools, sandbox: [] },
    { file: join(folder, 'none'), probe: { durationSeconds: 600 } as Probe },
  )
  expect(timeoutMs).toBe(720_000)
})

describe('the limit of a recording', () => {
  /** @param durationSeconds length by its header */
  async function limits(durationSeconds: number | null, bytes: number) {
    const file = join(folder, 'recording')
    await Bun.write(file, '')
    await truncate(file, bytes)
    return limitsFor({ ...sandboxedTools, ...limited }, { file, probe: { durationSeconds } as Probe })
  }

  test('is at least its length by the header', async () => {
    expect((await limits(600, 1000)).cpuSeconds).toBe(720)
  })

  test('is at least its length by its bytes: an hour of MP3 files in one, the first of 3 minutes', async () => {
    expect((await limits(180, 57_600_000)).cpuSeconds).toBeGreaterThan(3600)
  })

  test('is at most 4 hours of computing, and 12 hours in all', async () => {
    expect(await limits(null, 2 ** 32)).toMatchObject({ cpuSeconds: 14_400, timeoutMs: 43_200_000 })
    expect(wallMsFor(limited, 60)).toBe(1_200_000)
  })
})
