import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCoverProgram } from '../../../../src/platform/media/cover/child.ts'
import { findTools, type Tools } from '../../../../src/platform/media/ffmpeg/tools.ts'
import { commandLines } from '../../../support/processes.ts'
import type { Json } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const PROBE = join(import.meta.dir, 'probe-program.ts')
const PROGRAM = join(import.meta.dir, '../../../../src/platform/media/cover/program.ts')
const CHILD = join(import.meta.dir, '../../../../src/platform/media/cover/child.ts')

const tools = await findTools({})
const isApart = tools.pictureView !== null
/** As the service has them: a folder of data with its secret and its storage, and a folder for one task. */
let dataDir: string
let folder: string
let server: Server
let report: Json

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tonearm-data-'))
  folder = mkdtempSync(join(tmpdir(), 'tonearm-cover-'))
  await mkdir(join(dataDir, 'storage'))
  await Bun.write(join(dataDir, 'secret'), 'the root secret')
  await Bun.write(join(dataDir, 'storage/recording'), 'of another tenant')
  server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  report = await probe(tools)
})

/** Resources that the test program reaches within these bounds. */
async function probe(bounds: Pick<Tools, 'sandbox' | 'pictureView'>): Promise<Json> {
  const { port } = server.address() as { port: number }
  const questions = {
    secret: join(dataDir, 'secret'),
    storage: join(dataDir, 'storage'),
    pid: process.pid,
    port,
    foreign: require.resolve('pg/package.json'),
    program: PROGRAM,
    isReadOnly: bounds.pictureView === null,
  }
  await Bun.write(join(folder, 'picture'), JSON.stringify(questions))
  const ended = await runCoverProgram(bounds, join(folder, 'picture'), folder, undefined, { script: PROBE })
  expect(ended).toMatchObject({ exitCode: 0, stderr: '' })
  return JSON.parse(ended.stdout)
}
afterAll(() => {
  server.close()
  for (const path of [dataDir, folder]) rmSync(path, { recursive: true, force: true })
})

test('a decoder without a view of its own is named as missing', () => {
  expect(tools.missing.includes('pictures')).toBe(!isApart)
})

describe('a hijacked picture decoder', () => {
  const refusals: [what: string, name: string, refusal: string | RegExp][] = [
    ['cannot read the secret', 'readSecret', 'ENOENT'],
    ['cannot list storage', 'listStorage', 'ENOENT'],
    ['cannot write to storage', 'writeStorage', 'ENOENT'],
    ['cannot read other packages', 'readForeignPackage', 'ENOENT'],
    ['cannot change its own program', 'changeProgram', 'EROFS'],
    ['cannot change settings of the kernel', 'changeSetting', /^(EROFS|ENOENT|EACCES)$/],
    ['cannot signal the service', 'signal', 'ESRCH'],
    ['cannot connect to the service', 'connect', /^(ENETUNREACH|ECONNREFUSED)$/],
  ]
  test.if(isApart).each(refusals)('%s', (_, name, refusal) => {
    expect(report[name]).toMatch(refusal instanceof RegExp ? refusal : new RegExp(`^${refusal}$`))
  })

  test.if(isApart)('sees programs, its own processes and nothing of the host', () => {
    // Parents of what is visible are empty folders of the view.
    expect(report.roots).not.toEqual(expect.arrayContaining(['home']))
    expect(report.etc).toMatch(/^(done: \["alternatives"\]|ENOENT)$/)
    // The shell in front of it, and itself.
    expect(report.processes).toHaveLength(2)
    expect(report.environment).not.toEqual(expect.arrayContaining(['SECRET', 'DATABASE_URL']))
  })

  test('writes its results', () => {
    expect(report.writeFolder).toBe('done: null')
    expect(readFileSync(join(folder, 'result'), 'utf8')).toBe('made')
  })
})

test('the decoder runs compiled, within its limit of memory', () => {
  expect(report.isCompiled).toBe(true)
})

test('the test program can reach everything without a sandbox', async () => {
  expect(await probe({ sandbox: [], pictureView: null })).toMatchObject({
    readSecret: 'done: "the root secret"',
    listStorage: 'done: ["recording"]',
    signal: 'done: true',
    connect: 'done',
    environment: expect.not.arrayContaining(['SECRET', 'DATABASE_URL']),
  })
})

test.if(isApart)('the decoder dies with the service, even on SIGKILL', async () => {
  const sleeper = join(folder, `sleeper-${crypto.randomUUID()}.ts`)
  await Bun.write(sleeper, 'setInterval(() => {}, 1000)')
  const text = `
    import { runCoverProgram } from ${JSON.stringify(CHILD)}
    const tools = ${JSON.stringify({ sandbox: tools.sandbox, pictureView: tools.pictureView })}
    await runCoverProgram(tools, ${JSON.stringify(join(folder, 'picture'))}, ${JSON.stringify(folder)}, undefined, { script: ${JSON.stringify(sleeper)} })`
  const service = Bun.spawn([process.execPath, '-e', text], { stdout: 'ignore', stderr: 'inherit' })
  const running = () => [...commandLines().values()]
  // The decoder itself, not the commands that lead to it.
  const isDecoding = () => running().some((words) => words[0] === process.execPath && words[1] === sleeper)
  await until('the decoder to start', 20_000, isDecoding)
  service.kill('SIGKILL')
  await service.exited
  await until('the decoder to end', 20_000, () => !running().some((words) => words.includes(sleeper)))
})
