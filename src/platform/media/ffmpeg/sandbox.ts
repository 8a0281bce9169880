import { availablePrefix } from './command.ts'
import { type FileView, inView, visibleTo } from './file-view.ts'

export interface Sandbox {
  /** Wrapper commands in front of every run of a media program. */
  sandbox: readonly string[]
  /** In front of programs of our own in Bun, which reserves more addresses than any bound would leave it. */
  runtimeSandbox: readonly string[]
  /** What keeps the disk out of a media program's sight; null where this host does not allow it. */
  fileView: FileView | null
  /** The same for the picture decoder, in a process namespace of its own; null where this host does not allow both. */
  pictureView: FileView | null
  /** Bounds that this host does not allow; shown by /health/ready. */
  missing: readonly string[]
}

const GIB = 1024 ** 3
/** Larger than any file that is made here: a day of the highest bit rate. */
const MAX_FILE_BYTES = 16 * GIB

/**
 * Data: what it may allocate; its addresses may be more, for each thread reserves some that it never uses. CPU
 * seconds, open files; no core dumps, which would contain a recording. The soft limit of CPU time ends a program with
 * SIGXCPU, which tells it from one that the host killed.
 */
const limits = [`--data=${2 * GIB}`, `--as=${32 * GIB}`, '--cpu=14400:14460', '--nofile=128', '--core=0']

interface Bound {
  name: string
  wrapper: string[]
  /** Whether programs of ours that start media programs are bounded by it too. */
  isForRuntime: boolean
}

const lifetime = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs']
/** In the order in which they lie around a program; of those with one name the first that works. */
const bounds: Bound[] = [
  { name: 'network', wrapper: ['unshare', '--net'], isForRuntime: true },
  { name: 'network', wrapper: ['unshare', '--user', '--map-root-user', '--net'], isForRuntime: true },
  { name: 'resources', wrapper: ['prlimit', `--fsize=${MAX_FILE_BYTES}`, ...limits], isForRuntime: false },
  { name: 'priority', wrapper: ['nice', '-n', '19'], isForRuntime: true },
  // Also on the disk: whoever listens is served first.
  { name: 'disk priority', wrapper: ['ionice', '-c', '3'], isForRuntime: true },
  // Dies with us, even when we are killed outright; has no rights and gains none.
  { name: 'lifetime', wrapper: [...lifetime, '--inh-caps=-all', '--bounding-set=-all'], isForRuntime: false },
  { name: 'lifetime', wrapper: lifetime, isForRuntime: true },
]

/** The wrapper commands that this host allows, and the names of the bounds that it does not. */
export function findSandbox(programs: readonly string[]): Sandbox {
  const [sandbox, missing] = workingBounds(bounds)
  const [runtimeSandbox] = workingBounds(bounds.filter(({ isForRuntime }) => isForRuntime).map(feeding))
  const view = viewOver(sandbox)
  const works = (fileView: FileView, words: readonly string[], program: string, flag: string) =>
    runs(wrapped({ sandbox: words, fileView }, program, [flag]))
  const fileView = view && programs.every((program) => works(view, sandbox, program, '-version')) ? view : null
  const apart = view && { ...view, unshare: [...view.unshare, ...processNamespace], hasProc: true }
  const runtime = withoutAddressLimit(sandbox)
  const pictureView = apart && works(apart, runtime, process.execPath, '--version') ? apart : null
  return {
    ...{ sandbox, runtimeSandbox, fileView, pictureView },
    missing: [...missing, ...(fileView ? [] : ['files']), ...(pictureView ? [] : ['pictures'])],
  }
}

/**
 * In it a program sees no process but its own, and hence cannot signal another. All of them end with the first. Bun
 * needs /proc, which is safe to show only there: /proc/<pid>/root of another process leads out of the view.
 */
const processNamespace = ['--pid', '--fork', '--kill-child']

/** The wrappers for programs in Bun, which reserves more addresses than any limit would leave it. */
export const withoutAddressLimit = (sandbox: readonly string[]) => sandbox.filter((word) => !word.startsWith('--as='))

/** What feeds encoders goes before them: a pipe holds sound for a few thousandths of a second of their work. */
const feeding = (bound: Bound): Bound =>
  bound.name === 'priority' ? { ...bound, wrapper: ['nice', '-n', '10'] } : bound

function workingBounds(wanted: readonly Bound[]): [wrappers: string[], missing: string[]] {
  const found = new Set<string>()
  const wrappers: string[] = []
  for (const { name, wrapper } of wanted) {
    const [program = '', ...rest] = wrapper
    // By its path: there is no environment in which it could be looked for.
    const path = Bun.which(program)
    // Tried within the others: some rights are there only behind them.
    if (!path || found.has(name) || availablePrefix([...wrappers, path, ...rest]).length === 0) continue
    found.add(name)
    wrappers.push(path, ...rest)
  }
  return [wrappers, [...new Set(wanted.map(({ name }) => name))].filter((name) => !found.has(name))]
}

/** Where the network can be taken away, mounts can be too. */
function viewOver(sandbox: readonly string[]): FileView | null {
  const [shell, mount] = ['sh', 'mount'].map((name) => Bun.which(name))
  const end = sandbox.indexOf('--net') + 1
  return shell && mount && end > 0 ? { unshare: [...sandbox.slice(0, end), '--mount'], shell, mount } : null
}

function runs(command: string[]): boolean {
  return Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore', env: {} }).exitCode === 0
}

interface WrapOptions {
  /** Its scratch folder, where it may write. */
  cwd?: string
  /** The largest file that it may write. */
  maxFileBytes?: number
  /** Files and folders that it may read besides those that its arguments name. */
  also?: readonly string[]
}

/** The command that runs a program within its bounds. */
export function wrapped(
  { sandbox, fileView }: Pick<Sandbox, 'sandbox' | 'fileView'>,
  program: string,
  args: readonly string[],
  { cwd, maxFileBytes = MAX_FILE_BYTES, also = [] }: WrapOptions = {},
): string[] {
  const fsize = `--fsize=${Math.min(MAX_FILE_BYTES, Math.ceil(maxFileBytes))}`
  const prefix = sandbox.map((word) => (word.startsWith('--fsize=') ? fsize : word))
  if (!fileView) return [...prefix, program, ...args]
  const inner = [...prefix.slice(prefix.indexOf('--net') + 1), program, ...args]
  const readable = also.map((path) => ({ path, isWritable: false }))
  return inView(fileView, [...readable, ...visibleTo(program, args, cwd)], cwd, inner)
}

/** Of a session's niceness against others': a machine that something else keeps busy must finish recordings too. */
const SESSION_NICENESS = '5'

/**
 * Lets a process group that was just started work behind everything else. On Linux with autogroups niceness counts
 * only within a session; between sessions theirs does.
 */
export async function yieldToOthers(leader: number): Promise<void> {
  await Bun.write(`/proc/${leader}/autogroup`, SESSION_NICENESS).catch(() => {})
}
