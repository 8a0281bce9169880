import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { availablePrefix } from '../../../src/platform/media/ffmpeg/command.ts'
import { checkHost } from '../../../src/platform/media/ffmpeg/host-fault.ts'
import { readTail, type SpawnOptions, spawnTool } from '../../../src/platform/media/ffmpeg/spawn.ts'
import { findTools, type Tools } from '../../../src/platform/media/ffmpeg/tools.ts'
import { commandLines, parentOf, runsOf } from '../../support/processes.ts'
import { until } from '../../support/until.ts'

const SOURCES = join(import.meta.dir, '../../../src/platform/media')

const tools = await findTools({})
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-namespace-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Writes a shell script that replaces ffmpeg. @returns its path */
async function scriptOf(text: string): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.sh`)
  await writeFile(path, `#!/bin/sh\n${text}\n`)
  await chmod(path, 0o755)
  return path
}

async function start(
  text: string,
  { bounds, ...options }: Partial<SpawnOptions<'ignore', 'pipe'>> & { bounds?: Partial<Tools> } = {},
) {
  const path = await scriptOf(text)
  const child = spawnTool({ ...tools, ...bounds, ffmpeg: path }, 'ffmpeg', [], {
    stdout: 'pipe' as const,
    timeoutMs: 30_000,
    cwd: folder,
    ...options,
  })
  return { ...child, path, stdout: readTail(child.stdout) }
}

const isApart = !tools.missing.includes('processes')
const hasLifetime = !tools.missing.includes('lifetime')
const limitsProcesses = tools.sandbox.includes('--nproc=512')
const limitsTime = tools.sandbox.some((word) => word.startsWith('--cpu='))
const unbounded = { sandbox: [], fileView: null }
const ranges = [{ isInOurGroup: false }, { isInOurGroup: true }]
const untilStarted = (path: string) => until('the program to start', 30_000, () => runsOf(path)[0])
/** Commands that name the path: the program, and those around it. */
const namesOf = (path: string) => [...commandLines()].filter(([, words]) => words.includes(path))
const untilGone = (path: string) => until('all its processes to end', 30_000, () => namesOf(path).length === 0)

describe('a hijacked program', () => {
  /** Tries to end a process of this test. @returns whether it is still running */
  async function survives(bounds: Partial<Tools>): Promise<boolean> {
    const victim = Bun.spawn(['sleep', '60'])
    const { stdout, ended } = await start(`kill -KILL ${victim.pid}; echo done`, { bounds })
    expect([await stdout, (await ended).exitCode]).toEqual(['done\n', 0])
    // The first of two signals ends it.
    victim.kill('SIGTERM')
    await victim.exited
    return victim.signalCode === 'SIGTERM'
  }

  test('cannot signal a process of the service, but could without the namespace', async () => {
    expect(await survives({})).toBe(isApart)
    expect(await survives(unbounded)).toBe(false)
  })

  test.if(tools.fileView !== null)('sees no other process', async () => {
    const { stdout } = await start('echo /proc/[0-9]*; kill -0 3; [ $$ -lt 10 ] && echo few')
    expect(await stdout).toBe('/proc/[0-9]*\nfew\n')
  })

  test.if(isApart).each(ranges)('leaves no process in another session, with %o', async ({ isInOurGroup }) => {
    const stays = await scriptOf('sleep 60')
    const text = `cp ${stays} own.sh; setsid sh ./own.sh ${stays} & while ! [ -e own.sh ]; do :; done; echo gone`
    const { stdout, ended } = await start(text, { isInOurGroup, bounds: { fileView: null } })
    expect([await stdout, (await ended).exitCode]).toEqual(['gone\n', 0])
    await untilGone(stays)
  })

  // The kernel exempts root.
  test.if(limitsProcesses)('starts a limited number of processes', async () => {
    const { stdout, ended } = await start('i=0; while [ $i -lt 600 ]; do sleep 60 & i=$((i + 1)); done; echo all')
    expect([await stdout, (await ended).stderr]).toEqual(['', expect.stringContaining('Cannot fork')])
  })
})

describe('a program reports', () => {
  test.each(['SEGV', 'ABRT', 'XCPU', 'KILL', 'TERM'])('that SIG%s ended it', async (name) => {
    const { ended } = await start(`kill -${name} $$; sleep 60`)
    expect(await ended).toMatchObject({ exitCode: null, signal: `SIG${name}`, timedOut: false })
  })

  test.if(limitsTime)('the end of its CPU time', async () => {
    const sandbox = tools.sandbox.map((word) => word.replace(/^--cpu=.*/, '--cpu=1:20'))
    const { ended } = await start('while :; do :; done', { bounds: { sandbox }, timeoutMs: 50_000 })
    const end = await ended
    expect(end).toMatchObject({ exitCode: null, signal: 'SIGXCPU', timedOut: false })
    expect(end.cpuMs).toBeWithin(500, 5000)
    expect(() => checkHost([end], 50_000)).not.toThrow()
  })

  test.each([0, 1, 127, 128, 160, 255])('its exit status %i', async (status) => {
    const { ended } = await start(`exit ${status}`)
    expect(await ended).toMatchObject({ exitCode: status, signal: null })
  })

  test.each(ranges)('a kill by the host of the program or what is around it, with %o', async ({ isInOurGroup }) => {
    // The program, the first process of its namespace, and the command that created the namespace.
    for (let above = 0; above < (isApart ? 3 : 1); above++) {
      const { path, ended } = await start('sleep 60; true', { isInOurGroup })
      let victim = await untilStarted(path)
      for (let at = 0; at < above; at++) victim = parentOf(victim)
      process.kill(victim, 'SIGKILL')
      const end = await ended
      expect(end).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: false })
      expect(() => checkHost([end], 30_000)).toThrow(expect.objectContaining({ name: 'HostFault', code: 'killed' }))
      await untilGone(path)
    }
  })

  test.each(ranges)('its CPU time when it is killed, with %o', async ({ isInOurGroup }) => {
    const stop = new AbortController()
    const text = 'i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done; : > counted; sleep 60; true'
    const { path, ended } = await start(text, { isInOurGroup, signal: stop.signal })
    await until('the program to have counted', 20_000, () => Bun.file(join(folder, 'counted')).exists())
    stop.abort()
    const end = await ended
    await rm(join(folder, 'counted'))
    expect(end).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: false })
    expect(end.cpuMs).toBeGreaterThan(50)
    await untilGone(path)
  })
})

test.if(isApart).each(ranges)('a program that stops the first process is killed, with %o', async ({ isInOurGroup }) => {
  const stop = new AbortController()
  const { path, ended } = await start('sleep 60; true', { isInOurGroup, signal: stop.signal })
  const program = await untilStarted(path)
  process.kill(parentOf(program), 'SIGSTOP')
  stop.abort()
  expect(await ended).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: false })
  await untilGone(path)
})

describe('no media program outlives', () => {
  const engine = (ffmpeg: string) => `
    import { runEngine } from ${JSON.stringify(join(SOURCES, 'engine/run-engine.ts'))}
    const tools = ${JSON.stringify({ ...tools, ffmpeg })}
    const command = { args: [], maxFileBytes: 1_000_000 }
    const order = { tools, folder: ${JSON.stringify(folder)}, timeoutMs: 60_000, maxSeconds: 60, decoder: command, encoders: [command, command], splits: [], isMetered: false }
    await runEngine(order, {})`
  const single = (ffmpeg: string) => `
    import { spawnTool } from ${JSON.stringify(join(SOURCES, 'ffmpeg/spawn.ts'))}
    const tools = ${JSON.stringify({ ...tools, ffmpeg })}
    await spawnTool(tools, 'ffmpeg', [], { timeoutMs: 60_000, cwd: ${JSON.stringify(folder)} }).ended`

  test.if(hasLifetime).each([
    { what: 'a killed service', program: single, programs: 1 },
    { what: 'a killed service with an engine', program: engine, programs: 3 },
  ])('$what', async ({ program, programs }) => {
    const path = await scriptOf('sleep 60; true')
    const service = Bun.spawn([process.execPath, '-e', program(path)], { stdout: 'ignore', stderr: 'inherit' })
    await until('the programs to start', 20_000, () => runsOf(path).length === programs)
    service.kill('SIGKILL')
    await service.exited
    await untilGone(path)
  })

  test.if(hasLifetime)('a killed engine', async () => {
    const path = await scriptOf('sleep 60; true')
    const service = Bun.spawn([process.execPath, '-e', engine(path)], { stdout: 'ignore', stderr: 'ignore' })
    await until('the programs to start', 20_000, () => runsOf(path).length === 3)
    const isEngine = ([, words]: [number, string[]]) => words[1] === join(SOURCES, 'engine/program.ts')
    const engines = [...commandLines()].filter(isEngine).filter(([pid]) => parentOf(pid) === service.pid)
    expect(engines).toHaveLength(1)
    process.kill(engines[0]?.[0] ?? 0, 'SIGKILL')
    await untilGone(path)
    expect(await service.exited).toBe(1)
  })
})

/** Wrapper that takes process namespaces away. Empty on a host that allows no user namespaces. */
const others = availablePrefix(['unshare', '--user', '--map-root-user'])
const limited = [...others, 'sh', '-c', 'echo 0 > /proc/sys/user/max_pid_namespaces && exec "$@"', 'sh']
const without = others.length > 0 ? availablePrefix(limited) : []

// The tests above that need a bound do not run without it: its name must be among the missing ones.
test('each bound is in force, or is named as missing', () => {
  const inForce = {
    files: tools.fileView !== null,
    processes: isApart && without.length > 0,
    resources: limitsTime,
    'process count': limitsProcesses,
  }
  const absent = Object.entries(inForce).flatMap(([bound, isInForce]) => (isInForce ? [] : [bound]))
  expect(tools.missing).toEqual(expect.arrayContaining(absent))
})

test.if(without.length > 0)('a host without process namespaces runs programs in the other bounds', async () => {
  const text = `
    import { findTools } from ${JSON.stringify(join(SOURCES, 'ffmpeg/tools.ts'))}
    import { spawnTool } from ${JSON.stringify(join(SOURCES, 'ffmpeg/spawn.ts'))}
    const tools = await findTools({})
    const { exitCode } = await spawnTool(tools, 'ffprobe', ['-version'], { timeoutMs: 20_000 }).ended
    console.log(JSON.stringify({ missing: tools.missing, hasView: tools.fileView !== null, exitCode }))`
  const { stdout } = Bun.spawnSync([...without, process.execPath, '-e', text], { stderr: 'inherit' })
  const report = JSON.parse(stdout.toString())
  expect(report).toMatchObject({ hasView: tools.fileView !== null, exitCode: 0 })
  expect(report.missing).toEqual(expect.arrayContaining([...tools.missing, 'processes', 'pictures']))
})
