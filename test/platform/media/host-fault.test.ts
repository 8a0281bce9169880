import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatherEvidence } from '../../../src/platform/media/ffmpeg/evidence.ts'
import { checkHost } from '../../../src/platform/media/ffmpeg/host-fault.ts'
import type { EndedProcess } from '../../../src/platform/media/ffmpeg/spawn.ts'

const ended: EndedProcess = {
  exitCode: 1,
  signal: null,
  stderr: '',
  timedOut: false,
  cpuMs: 0,
  hasStarted: true,
  hostFault: null,
}
const check = (how: Partial<EndedProcess>) => () => checkHost([{ ...ended, ...how }], 10)

describe('a fault of the host', () => {
  test.each([
    { what: 'a kill from outside', how: { exitCode: null, signal: 'SIGKILL' }, code: 'killed' },
    { what: 'a full disk', how: { hostFault: 'disk_full' }, code: 'disk_full' },
    {
      what: 'a full disk of a program that exits with 0',
      how: { exitCode: 0, hostFault: 'disk_full' },
      code: 'disk_full',
    },
    { what: 'a file that is not there', how: { hostFault: 'file_not_visible' }, code: 'file_not_visible' },
    { what: 'a wrapper that finds no program', how: { exitCode: 127 }, code: 'not_started' },
    { what: 'a wrapper that may not start it', how: { exitCode: 126 }, code: 'not_started' },
    { what: 'a wrapper that fails', how: { hasStarted: false, stderr: 'mount: /sys: denied' }, code: 'not_started' },
    { what: 'a thread that cannot be started', how: { hostFault: 'not_started' }, code: 'not_started' },
    {
      what: 'a deadline missed while other work had the cores',
      how: { exitCode: null, signal: 'SIGKILL', timedOut: true, cpuMs: 7_999 },
      code: 'deadline_missed',
    },
  ] as const)('is $what', ({ how, code }) => {
    expect(check(how)).toThrow(expect.objectContaining({ name: 'HostFault', code }))
  })

  test('is found in any program of a run', () => {
    const killed = { ...ended, exitCode: null, signal: 'SIGKILL' }
    expect(() => checkHost([{ ...ended, exitCode: 0 }, killed], 10)).toThrow('killed')
  })

  test('is not the delay of programs that wait for one that computes', () => {
    const late = { ...ended, exitCode: null, signal: 'SIGKILL', timedOut: true }
    const share = { ...late, cpuMs: 7_999 }
    expect(() => checkHost([share, share, share], 10)).toThrow('deadline_missed')
    expect(() => checkHost([share, { ...late, cpuMs: 8_000 }], 10)).not.toThrow()
  })
})

describe('a fault of the recording', () => {
  test.each([
    { what: 'a refusal', how: { stderr: 'Invalid data found when processing input' } },
    { what: 'a crash', how: { exitCode: null, signal: 'SIGSEGV' } },
    { what: 'a deadline that computing took', how: { signal: 'SIGKILL', timedOut: true, cpuMs: 8_000 } },
    { what: 'an end of CPU time', how: { exitCode: null, signal: 'SIGXCPU', cpuMs: 14_400_000 } },
    { what: 'memory beyond its bound', how: { stderr: 'Cannot allocate memory' } },
    { what: 'a message with words of a wrapper', how: { stderr: 'x\nmount: /sys: permission denied.\nsh: 1\n' } },
    {
      what: 'a message with words of a full disk',
      how: { stderr: 'x\nError writing trailer: No space left on device' },
    },
    { what: 'a last message of a namespace', how: { stderr: 'x\nunshare: sigprocmask unblock failed: Invalid\n' } },
    { what: 'a message of a program that succeeded', how: { exitCode: 0, hostFault: 'file_not_visible' } },
  ] as const)('is $what', ({ how }) => {
    expect(check(how)).not.toThrow()
  })
})

describe('messages of ffmpeg', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** The fault that is found in the messages of a program. */
  function faultIn(args: readonly string[], messages: string, exitCode: number | null) {
    const evidence = gatherEvidence(args)
    evidence.read(messages)
    return evidence.end(messages, exitCode)
  }

  const encoder = ['-i', 'pipe:0', '-y', 'file:/t/made.m4a']
  test.each([
    ['av_write: No space left on device', 1],
    ['Error writing trailer of file:/t/mono.s32: No space left on device\n', 0],
    ['[out#0/mp3 @ 0x5a] Error writing trailer: No space left on device\n', 0],
    ['[aost#0:0/pcm_s16le @ 0x41] Error submitting a packet to the muxer: No space left on device\n', 228],
    ['av_interleaved_write_frame(): Input/output error', 1],
    ['Disk quota exceeded', 1],
    ['file:/t/a.m4a: Read-only file system', 1],
  ])('of one that reads no recording say that the disk is full: %s', async (messages, exitCode) => {
    expect(await faultIn(encoder, messages, exitCode)).toBe('disk_full')
  })

  const recording = 'file:/t/inputs/source'
  test.each(['-', 'a disk that takes more'])(
    'of one that reads a recording do not say so without evidence: %s',
    async (output) => {
      const outputs = output === '-' ? ['-f', 'null', '-'] : ['-y', `file:${join(folder, 'mono')}`]
      const messages = 'x\nError writing trailer of x: No space left on device\n'
      expect(await faultIn(['-i', recording, ...outputs], messages, 0)).toBeNull()
      expect(await faultIn(['-i', recording, ...outputs], messages, 1)).toBeNull()
    },
  )

  test.each([
    `${recording}: No such file or directory\n`,
    '/t/inputs/source: Permission denied\n',
    `[error] ${recording}: Stale file handle\n`,
    `${recording}: Too many open files in system\n`,
    `[in#0 @ 0x1] Error opening input: No such file or directory\nError opening input file ${recording}.\nx`,
  ])('say that it could not be opened: %s', async (messages) => {
    expect(await faultIn(['-i', recording], messages, 1)).toBe('file_not_visible')
    expect(await faultIn(['-i', recording], messages, 0)).toBeNull()
    expect(await faultIn(['-i', 'file:/t/inputs/other'], messages, 1)).toBeNull()
  })

  test('say that a thread could not be started', async () => {
    const messages = 'pthread_create failed: Resource temporarily unavailable. Try to increase `ulimit -v`'
    expect(await faultIn(encoder, messages, 1)).toBe('not_started')
    expect(await faultIn(['-i', recording], messages, 245)).toBe('not_started')
    expect(await faultIn(['-i', recording], messages, 1)).toBeNull()
  })
})
