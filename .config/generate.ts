// Generates the Prisma client with the Pothos types, and the pages for people: each once per state of its sources.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')

/** Runs `make` unless `folder` was made of the same files already. */
async function once(folder: string, inputs: string[], make: () => void | Promise<void>): Promise<void> {
  const hash = createHash('sha256')
  for (const input of inputs.sort()) hash.update(`${input}\n`).update(readFileSync(join(root, input)))
  const stamp = hash.digest('hex')
  const stampFile = join(root, folder, '.stamp')
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  await make()
  writeFileSync(stampFile, stamp)
}

/** Every file below a folder, without what was generated. */
function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => !/[\\/]generated(\.|[\\/]|$)/.test(path) && statSync(join(root, path)).isFile())
}

await once('src/platform/db/generated', ['schema.prisma', 'bun.lock'], () => {
  // The CLI would download a native schema engine that generating never runs.
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

await once('src/web/generated', ['bun.lock', '.config/web.ts', ...filesIn('src/web')], async () => {
  const { buildWeb } = await import('./web.ts')
  await buildWeb()
})
