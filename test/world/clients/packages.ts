// The packages of this folder's package.json and lockfile. Only these tests install them: half of their 1.3 GB are other
// runtimes.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../.config/once.ts'

/** A copy of this folder with its packages. A folder with a dot is in no pattern of other tests and tools. */
export const FOLDER = join(root, 'test/.tmp/world-clients')

/** Installs the packages. Several processes run tests: one of them does it, and the others wait. */
export async function installPackages(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  await succeed(['flock', `${FOLDER}.lock`, process.execPath, join(import.meta.dir, 'install.ts')])
}

/** The path of a command of the packages. */
export const findCommand = (name: string) => join(FOLDER, 'node_modules/.bin', name)

/** Node 20, 22 and 24, by their names. */
export const nodes = ['20', '22', '24'].map(
  (version) => [`Node ${version}`, join(FOLDER, `node_modules/node-${version}/bin/node`)] as const,
)

interface Options {
  cwd?: string
  env?: Record<string, string>
}

/** Runs a command to its end, in the folder of the packages. */
export async function run(command: string[], { cwd = FOLDER, env = {} }: Options = {}) {
  const child = Bun.spawn(command, {
    cwd,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '', HOME: FOLDER, NO_COLOR: '1', ...env },
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exitCode: await child.exited, stdout, stderr }
}

/** Runs a command that must succeed. @returns what it printed */
export async function succeed(command: string[], options?: Options): Promise<string> {
  const { exitCode, stdout, stderr } = await run(command, options)
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${exitCode}\n${stdout}\n${stderr}`)
  return stdout
}
