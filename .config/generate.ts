// Generates the Prisma client and the Pothos types, once per state of schema.prisma and bun.lock.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const stampFile = join(root, 'src/platform/db/generated/.stamp')

const hash = createHash('sha256')
for (const input of ['schema.prisma', 'bun.lock']) hash.update(readFileSync(join(root, input)))
const stamp = hash.digest('hex')

if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
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
  writeFileSync(stampFile, stamp)
}
