import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { availablePrefix } from '../../../src/platform/media/ffmpeg/command.ts'
import { readTail, type SpawnOptions, spawnTool } from '../../../src/platform/media/ffmpeg/spawn.ts'
import { findTools, type Tools } from '../../../src/platform/media/ffmpeg/tools.ts'

const tools = await findTools({})
const isViewed = tools.fileView !== null
const canLimit = Bun.which('prlimit') !== null
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-spawn-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs a shell script in the place of ffmpeg. */
async function script(
  text: string,
  options: Partial<SpawnOptions<'ignore', 'pipe'>> & { bounds?: Partial<Tools> } = {},
) {
  const program = join(folder, `${crypto.randomUUID()}.sh`)
  await writeFile(program, `#!/bin/sh\n${text}\n`)
  await chmod(program, 0o755)
  const { bounds, ...others } = options
  const child = spawnTool({ ...tools, ...bounds, ffmpeg: program }, 'ffmpeg', [], {
    stdout: 'pipe' as const,
    timeoutMs: 20_000,
    cwd: folder,
    ...others,
  })
  const stdout = readTail(child.stdout)
  return { ...child, stdout, end: async () => ({ ...(await child.ended), stdout: await stdout }) }
}

const unbounded = { sandbox: [], fileView: null }

describe('a program', () => {
  test('has an empty environment, its folder, and the lowest priority', async () => {
    const { stdout, exitCode } = await (await script('/usr/bin/env; pwd; nice')).end()
    expect(exitCode).toBe(0)
    // The shell itself sets these.
    const lines = stdout
      .trim()
      .split('\n')
      .filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line))
    expect(lines).toEqual([folder, availablePrefix(['nice', 'true']) ? '19' : (lines[1] ?? '')])
  })

  test('reports how it ended', async () => {
    expect(await (await script('exit 3')).end()).toMatchObject({ exitCode: 3, signal: null, timedOut: false })
    expect(await (await script('kill -SEGV $$')).end()).toMatchObject({ exitCode: null, signal: 'SIGSEGV' })
    expect(await (await script('echo sorry >&2; exit 1')).end()).toMatchObject({ stderr: 'sorry\n' })
  })

  test.each([{ bounds: {} }, { bounds: unbounded }])(
    'is killed with all that it started, within %o',
    async ({ bounds }) => {
      const survivor = join(folder, `survivor-${crypto.randomUUID()}`)
      const text = `(sleep 1; echo alive > ${survivor}) & echo started; sleep 30`
      const start = performance.now()
      const child = await script(text, { bounds, timeoutMs: 400 })
      expect(await child.end()).toMatchObject({ timedOut: true, signal: 'SIGKILL' })
      expect(performance.now() - start).toBeLessThan(8000)
      const sleepResult = Bun.spawnSync(['sleep', '1.2'])
      expect([sleepResult.exitCode, await Bun.file(survivor).exists()]).toEqual([0, false])
    },
  )

  test('leaves nothing running', async () => {
    const { stdout } = await (await script('sleep 30 & echo gone')).end()
    expect(stdout).toBe('gone\n')
  })

  test('is killed by the signal of its job', async () => {
    const stop = new AbortController()
    const child = await script('sleep 30', { signal: stop.signal })
    stop.abort()
    expect(await child.end()).toMatchObject({ signal: 'SIGKILL', timedOut: false })
    await expect(script('true', { signal: stop.signal })).rejects.toThrow()
  })

  test.if(canLimit)('cannot write more than it is allowed', async () => {
    const text = `dd if=/usr/bin/env of=${join(folder, 'large')} bs=1k 2>&1; echo $?`
    const { stdout } = await (await script(text, { maxFileBytes: 2048 })).end()
    expect(stdout.trim()).not.toEndWith('\n0')
    expect(Bun.file(join(folder, 'large')).size).toBe(2048)
  })
})

describe('of the disk', () => {
  test.if(isViewed)('it sees only the files that its arguments name', async () => {
    const secret = join(tmpdir(), `tonearm-secret-${crypto.randomUUID()}`)
    await writeFile(secret, 'secret')
    const { stdout } = await (await script(`cat ${secret}; ls / /etc /home /tmp; echo x > written; cat written`)).end()
    await rm(secret)
    expect(stdout).not.toContain('secret')
    expect(stdout).not.toMatch(/passwd|shadow|home|proc/)
    expect(stdout).toEndWith('x\n')
  })

  test.if(isViewed)('it cannot change input files, not even through links', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'tonearm-elsewhere-'))
    const file = join(elsewhere, 'it is # a recording')
    await writeFile(file, 'sound')
    const program = join(folder, 'write.sh')
    await writeFile(program, '#!/bin/sh\ncat "$1"; echo no > "$1"; ls "$(dirname "$1")"\n')
    await chmod(program, 0o755)
    const child = spawnTool({ ...tools, ffmpeg: program }, 'ffmpeg', [file], { stdout: 'pipe', timeoutMs: 9000 })
    expect(await readTail(child.stdout)).toBe('soundit is # a recording\n')
    expect(await Bun.file(file).text()).toBe('sound')
    await rm(elsewhere, { recursive: true })
  })
})

test('missing bounds are named', () => {
  const bounds = ['network', 'resources', 'priority', 'disk priority', 'lifetime']
  const isolation = ['processes', 'process count', 'files', 'pictures']
  expect([...bounds, ...isolation]).toEqual(expect.arrayContaining([...tools.missing]))
  expect(tools.version).toMatch(/^[\w.:+~-]+$/)
})
