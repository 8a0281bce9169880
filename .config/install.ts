// Installs the packages of the lockfile, once per state of it. Passes its arguments to `bun install`.
import { once, root } from './once.ts'

await once('node_modules', ['package.json', 'bun.lock', 'bunfig.toml'], () => {
  process.stderr.write('Installing packages. The first time this downloads about 1 GB and takes a minute or two.\n')
  const command = [process.execPath, 'install', '--frozen-lockfile', '--silent', ...process.argv.slice(2)]
  const { exitCode } = Bun.spawnSync(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (exitCode !== 0) process.exit(exitCode || 1)
})
