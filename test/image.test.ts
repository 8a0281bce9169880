// The image has the packages that run the service only, and folders that nobody may write to.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devDependencies } from '../package.json'

const root = join(import.meta.dir, '..')
let image: string
beforeAll(async () => {
  image = await mkdtemp(join(tmpdir(), 'tonearm-image-'))
  for (const name of ['package.json', 'bun.lock', 'bunfig.toml', 'schema.prisma', '.config', 'src']) {
    await cp(join(root, name), join(image, name), { recursive: true })
  }
  await mkdir(join(image, 'node_modules'))
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (!(name in devDependencies)) await symlink(join(root, 'node_modules', name), join(image, 'node_modules', name))
  }
  await symlink('src/main.ts', join(image, 'tonearm'))
}, 60_000)
afterAll(() => rm(image, { recursive: true }))

async function run(...command: string[]) {
  const child = Bun.spawn(command, {
    cwd: image,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      // Nothing can be downloaded, or taken from an earlier download.
      BUN_CONFIG_REGISTRY: 'http://127.0.0.1:1',
      BUN_INSTALL_CACHE_DIR: join(image, 'cache'),
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exitCode: await child.exited, stdout, stderr }
}

test.each([
  ['the scripts of package.json', ['bun', 'run', 'admin', '--help']],
  ['the program', ['bun', 'src/main.ts', 'admin', '--help']],
  ['a link to it', ['./tonearm', 'admin', '--help']],
])('%s runs without installing anything', async (_, command) => {
  const before = await readdir(join(image, 'node_modules'))
  expect(before).toContain('.stamp')
  const { exitCode, stdout } = await run(...command)
  expect(exitCode).toBe(0)
  expect(stdout).toStartWith('usage: admin <command>')
  expect(await readdir(join(image, 'node_modules'))).toEqual(before)
})

test('with another lockfile the packages are installed', async () => {
  await Bun.write(join(image, 'bun.lock'), `${await Bun.file(join(root, 'bun.lock')).text()}\n`)
  const { exitCode, stderr } = await run('bun', 'run', 'admin', '--help')
  expect(exitCode).not.toBe(0)
  expect(stderr).toContain('Installing packages')
})
