// Generates the Prisma client with the Pothos types, and bundles the web pages. Each runs once per state of its
// sources.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { once, root } from './once.ts'

/** Returns all files in a folder, without generated ones. */
function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => !/[\\/]generated(\.|[\\/]|$)/.test(path) && statSync(join(root, path)).isFile())
}

await once('src/platform/db/generated', ['schema.prisma', 'bun.lock'], () => {
  // The CLI would download a native schema engine that generating does not use.
  const run = Bun.spawnSync([process.execPath, 'x', '--bun', 'prisma', 'generate'], {
    cwd: root,
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  if (run.exitCode !== 0) {
    process.stderr.write(run.stdout.toString() + run.stderr.toString())
    process.exit(run.exitCode || 1)
  }
})

await once(
  'src/web/generated',
  ['bun.lock', '.config/web.ts', '.config/guides.ts', ...filesIn('src/web')],
  async () => {
    const { buildWeb } = await import('./web.ts')
    await buildWeb()
  },
)
