// Installs the packages of this folder's package.json and lockfile, and copies the programs, once for each state of them.
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { once, root } from '../../../.config/once.ts'

const [source, target] = ['test/world/clients', 'test/.tmp/world-clients']
const folder = join(root, target)
const names = ['package.json', 'bun.lock', 'tsconfig.json']
const programs = readdirSync(join(root, source, 'programs')).map((name) => `${source}/programs/${name}`)

await once(target, [...names.map((name) => `${source}/${name}`), ...programs], () => {
  rmSync(join(folder, 'programs'), { recursive: true, force: true })
  for (const name of [...names, 'programs']) cpSync(join(root, source, name), join(folder, name), { recursive: true })
  const command = [process.execPath, 'install', '--frozen-lockfile', '--silent']
  const { exitCode } = Bun.spawnSync(command, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] })
  if (exitCode !== 0) process.exit(exitCode || 1)
})
