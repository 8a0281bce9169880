import { availablePrefix } from '../command.ts'

const GIB = 1024 ** 3

const bounds: [name: string, wrapper: string[]][] = [
  ['network', ['unshare', '--net']],
  ['network', ['unshare', '--user', '--map-root-user', '--net']],
  // Address space, CPU seconds, size of a written file, open files; no core dumps.
  ['resources', ['prlimit', `--as=${6 * GIB}`, '--cpu=14400', `--fsize=${16 * GIB}`, '--nofile=128', '--core=0']],
  // Dies with us, even when we are killed outright; gains no rights.
  ['lifetime', ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs']],
  ['priority', ['nice', '-n', '19']],
]

export interface Sandbox {
  /** Wrapper commands in front of every run of a media program. */
  sandbox: readonly string[]
  /** In front of programs of our own in Bun, which reserves more addresses than any bound would leave it. */
  runtimeSandbox: readonly string[]
  /** Bounds that this host does not allow; shown by /health/ready. */
  missing: readonly string[]
}

/** The wrapper commands that this host allows, and the names of the bounds that it does not. */
export function findSandbox(): Sandbox {
  const sandbox: string[] = []
  const runtimeSandbox: string[] = []
  const found = new Set<string>()
  for (const [name, [program = '', ...rest]] of bounds) {
    // By its path: there is no environment in which it could be looked for.
    const path = Bun.which(program)
    if (found.has(name) || !path) continue
    const prefix = availablePrefix([path, ...rest])
    if (prefix.length > 0) found.add(name)
    sandbox.push(...prefix)
    if (name !== 'resources') runtimeSandbox.push(...prefix)
  }
  const missing = [...new Set(bounds.map(([name]) => name))].filter((name) => !found.has(name))
  return { sandbox, runtimeSandbox, missing }
}
