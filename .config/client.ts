// `bun .config/client.ts FOLDER`: builds the npm package of src/client. Publish it with `npm publish FOLDER`.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './once.ts'

const source = join(root, 'src/client')

/** Generates the types of /v1, compiles the client, and adds its package.json, README, examples and license. */
export function buildClient(folder: string): void {
  for (const command of [[join(root, '.config/client-types.ts')], ['x', 'tsc', '-p', source, '--outDir', folder]]) {
    const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, ...command], { cwd: root })
    if (exitCode !== 0) throw new Error(stdout.toString() + stderr.toString())
  }
  for (const name of ['package.json', 'README.md', 'examples'])
    cpSync(join(source, name), join(folder, name), { recursive: true })
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
}

if (import.meta.main) {
  const folder = process.argv[2]
  if (!folder) {
    console.error('usage: bun .config/client.ts FOLDER')
    process.exit(1)
  }
  buildClient(folder)
}
