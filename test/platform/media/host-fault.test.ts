import { describe, expect, test } from 'bun:test'
import { checkHost } from '../../../src/platform/media/ffmpeg/host-fault.ts'
import type { Ended } from '../../../src/platform/media/ffmpeg/spawn.ts'

const ended: Ended = { exitCode: 1, signal: null, stderr: '', timedOut: false, cpuMs: 0 }
const check = (how: Partial<Ended>) => () => checkHost([{ ...ended, ...how }], 10)

describe('a fault of the host', () => {
  test.each([
    { what: 'a kill from outside', how: { exitCode: null, signal: 'SIGKILL' }, code: 'killed' },
    { what: 'a full disk', how: { stderr: 'av_write: No space left on device' }, code: 'disk_full' },
    {
      what: 'a full disk at the end, after which ffmpeg exits with 0',
      how: { exitCode: 0, stderr: 'Error writing trailer of file:/t/mono.s32: No space left on device\n' },
      code: 'disk_full',
    },
    {
      what: 'the same, of a later version',
      how: { exitCode: 0, stderr: '[out#0/mp3 @ 0x5a] Error writing trailer: No space left on device\n' },
      code: 'disk_full',
    },
    {
      what: 'a disk that fails',
      how: { stderr: 'av_interleaved_write_frame(): Input/output error' },
      code: 'disk_full',
    },
    { what: 'a full quota', how: { stderr: 'Disk quota exceeded' }, code: 'disk_full' },
    { what: 'a read-only disk', how: { stderr: 'file:/t/a.m4a: Read-only file system' }, code: 'disk_full' },
    {
      what: 'a file that is not there',
      how: { stderr: 'file:/t/a: No such file or directory' },
      code: 'file_not_visible',
    },
    {
      what: 'the same, of a later version',
      how: {
        stderr: '[in#0 @ 0x1] Error opening input: No such file or directory\nError opening input file file:/t/a.',
      },
      code: 'file_not_visible',
    },
    { what: 'a file that may not be read', how: { stderr: '/t/a: Permission denied' }, code: 'file_not_visible' },
    {
      what: 'a file of a server that was replaced',
      how: { stderr: 'file:/t/a: Stale file handle' },
      code: 'file_not_visible',
    },
    {
      what: 'a full table of open files',
      how: { stderr: 'file:/t/a: Too many open files in system' },
      code: 'file_not_visible',
    },
    { what: 'a wrapper that finds no program', how: { exitCode: 127 }, code: 'not_started' },
    { what: 'a wrapper that may not start it', how: { exitCode: 126 }, code: 'not_started' },
    ...[
      'unshare: unshare failed: No space left on device',
      'mount: /sys: permission denied.',
      'mkdir: cannot create directory',
      'prlimit: failed to set the AS resource limit: Operation not permitted',
      '/usr/bin/nice: cannot set niceness: Permission denied',
      'ionice: ioprio_set failed: Operation not permitted',
      'setpriv: set pdeathsig failed: Invalid argument',
      'sh: 1: Cannot fork',
      'a warning of the loader\nunshare: fork failed: Cannot allocate memory',
    ].map((stderr) => ({ what: stderr, how: { stderr }, code: 'not_started' })),
    {
      what: 'a thread that cannot be started',
      how: { stderr: 'pthread_create failed: Resource temporarily unavailable. Try to increase `ulimit -v`' },
      code: 'not_started',
    },
    {
      what: 'a deadline missed while other work had the cores',
      how: { exitCode: null, signal: 'SIGKILL', timedOut: true, cpuMs: 7_999 },
      code: 'deadline_missed',
    },
  ])('is $what', ({ how, code }) => {
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
    { what: 'a truncated file', how: { stderr: 'file:/t/a: Input/output error' } },
    { what: 'a message about a word of a wrapper', how: { stderr: '[mov @ 0x1] sh: 1' } },
    { what: 'a reference inside of it', how: { stderr: '[mov @ 0x1] Error opening alias: No such file or directory' } },
    {
      what: 'a message of a program that succeeded',
      how: { exitCode: 0, stderr: '[mp3 @ 0x5a] No space left on device' },
    },
  ])('is $what', ({ how }) => {
    expect(check(how)).not.toThrow()
  })
})
