import { existsSync } from 'node:fs'
import { availablePrefix } from './command.ts'
import { type FileView, inView, visibleTo } from './file-view.ts'
import { announced, firstProcess } from './markers.ts'

export interface Sandbox {
  /** Wrapper commands of every media program. */
  sandbox: readonly string[]
  /**
   * Wrapper commands of our own programs, without an address limit: Bun reserves more addresses than any limit would
   * allow.
   */
  runtimeSandbox: readonly string[]
  /** Hides the disk from media programs. Null when this host does not allow it. */
  fileView: FileView | null
  /** The same for the picture decoder, in its own process namespace. Null when this host does not allow both. */
  pictureView: FileView | null
  /** Bounds that this host does not allow; listed by /health/ready. */
  missing: readonly string[]
}

const GIB = 1024 ** 3
/** Larger than any generated file: a day at the highest bit rate. */
const MAX_FILE_BYTES = 16 * GIB

/**
 * Data: allocations. Address space: more, because each thread reserves some that it never uses. CPU seconds and open
 * files. No core dumps, which would contain a recording. The soft limit of CPU time ends a program with SIGXCPU, which
 * differs from a kill by the host.
 */
const limits = [`--data=${2 * GIB}`, `--as=${32 * GIB}`, '--cpu=14400:14460', '--nofile=128', '--core=0']

interface Bound {
  name: string
  wrapper: string[]
  /** Whether it also applies to our own programs that start media programs. */
  isForRuntime: boolean
}

const lifetime = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs']
/** Outermost first. Of several with the same name the first that works is used. */
const bounds: Bound[] = [
  { name: 'network', wrapper: ['unshare', '--net'], isForRuntime: true },
  { name: 'network', wrapper: ['unshare', '--user', '--map-root-user', '--net'], isForRuntime: true },
  { name: 'resources', wrapper: ['prlimit', `--fsize=${MAX_FILE_BYTES}`, ...limits], isForRuntime: false },
  { name: 'priority', wrapper: ['nice', '-n', '19'], isForRuntime: true },
  // On the disk too: requests of listeners are served first.
  { name: 'disk priority', wrapper: ['ionice', '-c', '3'], isForRuntime: true },
  // The program dies with the service, even when that is killed. It has no capabilities and cannot gain any.
  { name: 'lifetime', wrapper: [...lifetime, '--inh-caps=-all', '--bounding-set=-all'], isForRuntime: false },
  { name: 'lifetime', wrapper: lifetime, isForRuntime: true },
]

/** Returns the wrapper commands that this host allows, and the names of the bounds that it does not. */
export function findSandbox(programs: readonly string[]): Sandbox {
  const [shared, missing] = workingBounds(bounds)
  const apart = inProcessNamespace(shared)
  const limited = withProcessLimit(apart ?? shared)
  const sandbox = limited ?? apart ?? shared
  const [runtimeSandbox] = workingBounds(bounds.filter(({ isForRuntime }) => isForRuntime).map(prioritized))
  const view = viewOver(sandbox)
  const works = (fileView: FileView, wrappers: readonly string[], program: string, flag: string) =>
    runs(wrapped({ sandbox: wrappers, fileView }, program, [flag]))
  const fileView = view && programs.every((program) => works(view, sandbox, program, '-version')) ? view : null
  const withProc = view && apart && { ...view, hasProc: true }
  const runtime = withoutAddressLimit(sandbox)
  const pictureView = withProc && works(withProc, runtime, process.execPath, '--version') ? withProc : null
  return {
    sandbox,
    runtimeSandbox,
    fileView,
    pictureView,
    missing: [
      ...missing,
      ...(apart ? [] : ['processes']),
      ...(limited ? [] : ['process count']),
      ...(fileView ? [] : ['files']),
      ...(pictureView ? [] : ['pictures']),
    ],
  }
}

/**
 * A program in this namespace sees and signals only its own processes, and all of them end with the first. The command
 * that creates the namespace stays outside as the parent of the first process.
 */
const processNamespace = ['--pid', '--fork', '--kill-child']

/** Returns wrappers that also create a process namespace. Null when this host does not allow it. */
function inProcessNamespace(shared: readonly string[]): string[] | null {
  const end = endOfNamespaces(shared)
  const setpriv = Bun.which('setpriv')
  // The parent outside must not outlive the service either.
  const lifetime = setpriv ? availablePrefix([setpriv, '--pdeathsig', 'KILL']) : []
  const apart = [...lifetime, ...shared.slice(0, end), ...processNamespace, ...shared.slice(end)]
  const isAllowed = end > 0 && existsSync(toChildrenFile(process.pid)) && runs([...apart, ...firstProcess, 'true'])
  return isAllowed ? apart : null
}

/** Processes and threads of one run: several for each core of a large machine. */
const MAX_PROCESSES = 512

/**
 * Returns the same wrappers with a limit of processes and threads. Null where the kernel does not enforce it, as for
 * root, or counts all processes of the user instead of those in the namespace (Linux before 5.14, or no user namespace).
 * See decision 0016.
 */
function withProcessLimit(sandbox: readonly string[]): string[] | null {
  const at = sandbox.findIndex((word) => word.startsWith('--fsize='))
  const program = Bun.which('true')
  if (at < 0 || !program) return null
  const limitedTo = (count: number) => sandbox.toSpliced(at, 0, `--nproc=${count}`)
  const starts = (count: number) => runs([...limitedTo(count), ...firstProcess, program])
  // Four are enough for these commands, and fewer than the threads of this process.
  return starts(4) && !starts(1) ? limitedTo(MAX_PROCESSES) : null
}

/** Number of leading words, those that create namespaces. */
const endOfNamespaces = (sandbox: readonly string[]) =>
  Math.max(sandbox.indexOf('--net'), sandbox.lastIndexOf('--kill-child')) + 1

/** Whether a command of `wrapped` starts its program in a process namespace. */
export const isInProcessNamespace = (command: readonly string[]) => command.includes('--kill-child')

/** Lists the processes that a process has started (proc(5)). */
export const toChildrenFile = (pid: number) => `/proc/${pid}/task/${pid}/children`

/** Wrappers for programs in Bun, which reserves more addresses than any limit would allow. */
export const withoutAddressLimit = (sandbox: readonly string[]) => sandbox.filter((word) => !word.startsWith('--as='))

/** The decoder has a higher priority than the encoders: a pipe buffers only a few milliseconds of their work. */
const prioritized = (bound: Bound): Bound =>
  bound.name === 'priority' ? { ...bound, wrapper: ['nice', '-n', '10'] } : bound

function workingBounds(candidates: readonly Bound[]): [wrappers: string[], missing: string[]] {
  const names = new Set<string>()
  const wrappers: string[] = []
  for (const { name, wrapper } of candidates) {
    const [program = '', ...rest] = wrapper
    // Absolute path, because a run has no environment with a PATH.
    const path = Bun.which(program)
    // Tried inside the others: some permissions exist only there.
    if (!path || names.has(name) || availablePrefix([...wrappers, path, ...rest]).length === 0) continue
    names.add(name)
    wrappers.push(path, ...rest)
  }
  return [wrappers, [...new Set(candidates.map(({ name }) => name))].filter((name) => !names.has(name))]
}

/** A host that allows network namespaces allows mount namespaces too. */
function viewOver(sandbox: readonly string[]): FileView | null {
  const [shell, mount] = ['sh', 'mount'].map((name) => Bun.which(name))
  const unshare = Bun.which('unshare')
  const end = endOfNamespaces(sandbox)
  const namespaces = [...sandbox.slice(0, end), '--mount']
  return shell && mount && unshare && end > 0 ? { namespaces, unshare, shell, mount } : null
}

function runs(command: string[]): boolean {
  return Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore', env: {} }).exitCode === 0
}

interface WrapOptions {
  /** Scratch folder, writable. */
  cwd?: string
  /** Maximum size of a written file, in bytes. */
  maxFileBytes?: number
  /** Readable files and folders in addition to those that its arguments name. */
  also?: readonly string[]
}

/** Returns the command that runs a program in the sandbox. */
export function wrapped(
  { sandbox, fileView }: Pick<Sandbox, 'sandbox' | 'fileView'>,
  program: string,
  args: readonly string[],
  { cwd, maxFileBytes = MAX_FILE_BYTES, also = [] }: WrapOptions = {},
): string[] {
  const fsize = `--fsize=${Math.min(MAX_FILE_BYTES, Math.ceil(maxFileBytes))}`
  const prefix = sandbox.map((word) => (word.startsWith('--fsize=') ? fsize : word))
  const command = [...(isInProcessNamespace(prefix) ? firstProcess : announced), program, ...args]
  if (!fileView) return [...prefix, ...command]
  const inner = [...prefix.slice(endOfNamespaces(prefix)), ...command]
  const readable = also.map((path) => ({ path, isWritable: false }))
  return inView(fileView, [...readable, ...visibleTo(program, args, cwd)], cwd, inner)
}

/** Autogroup niceness of a session: low priority, but not starved on a busy machine. */
const SESSION_NICENESS = '5'

/**
 * Lowers the priority of a new process group. On Linux with autogroups, niceness only counts within a session; between
 * sessions, that of the autogroups does.
 */
export async function yieldToOthers(leader: number): Promise<void> {
  await Bun.write(`/proc/${leader}/autogroup`, SESSION_NICENESS).catch(() => {})
}
