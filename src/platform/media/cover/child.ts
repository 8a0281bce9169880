import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { availablePrefix } from '../ffmpeg/command.ts'
import { mediaError } from '../ffmpeg/reasons.ts'
import type { Tools } from '../ffmpeg/run.ts'
import { withoutAddressLimit, wrapped } from '../ffmpeg/sandbox.ts'

const PROGRAM = join(import.meta.dir, 'program.ts')
const WALL_MS = 60_000
const MAX_REPORT_BYTES = 65_536
const MAX_FILE_BYTES = 32 * 2 ** 20
/** Bytes of memory, of which the largest accepted picture needs about half, and CPU seconds. */
const bounds = [`--data=${2 ** 30}`, '--cpu=30', `--fsize=${MAX_FILE_BYTES}`]

/** What the child said on standard output and error; its exit status, or null where it was killed. */
interface Ended {
  stdout: string
  stderr: string
  exitCode: number | null
}

/** The folders of a package and of the packages that it needs here, as they are installed around `from`. */
function packageFolders(name: string, from: string, found = new Set<string>()): Set<string> {
  const folder = installedAt(name, from)
  if (folder === null || found.has(folder)) return found
  found.add(folder)
  const { dependencies = {}, optionalDependencies = {} } = require(join(folder, 'package.json'))
  for (const inner of Object.keys({ ...dependencies, ...optionalDependencies })) packageFolders(inner, folder, found)
  return found
}

function installedAt(name: string, from: string): string | null {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(candidate)) return candidate
  }
  return null
}

/** What the program needs to run: itself, and libvips with what loads it. */
const programFiles = [import.meta.dir, ...packageFolders('sharp', import.meta.dir)]

/**
 * Runs the program that decodes uploaded pictures, behind the wrappers of ffmpeg, with an empty environment, in a view
 * of the disk with nothing but itself, the picture and the folder, and in a process group that is killed whole.
 * @param image local path
 * @param folder where it may write
 * @param program another script to run in its place
 * @throws MediaError `timed_out`; AbortError of the given signal
 */
export async function runCoverProgram(
  { sandbox, pictureView }: Pick<Tools, 'sandbox' | 'pictureView'>,
  image: string,
  folder: string,
  signal?: AbortSignal,
  program = PROGRAM,
): Promise<Ended> {
  signal?.throwIfAborted()
  const wrappers = [...withoutAddressLimit(sandbox), ...availablePrefix(['prlimit', ...bounds])]
  const bounded = wrapped({ sandbox: wrappers, fileView: pictureView }, process.execPath, [program, image, folder], {
    ...{ cwd: folder, maxFileBytes: MAX_FILE_BYTES, also: programFiles },
  })
  // The namespace leaves a process of ours in front, which must not outlive us either.
  const lifetime = pictureView ? availablePrefix(['setpriv', '--pdeathsig', 'KILL']) : []
  const child = Bun.spawn([...lifetime, ...bounded], {
    cwd: folder,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    // Nothing is looked for outside of the folder, and nothing is kept there for the next time.
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      LC_ALL: 'C',
      HOME: folder,
      TMPDIR: folder,
      BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0',
    },
    detached: true,
  })
  const kill = () => {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Ended already.
    }
  }
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    kill()
  }, WALL_MS)
  signal?.addEventListener('abort', kill)
  try {
    const [stdout, stderr] = await Promise.all([readStart(child.stdout, kill), readStart(child.stderr, kill)])
    await child.exited
    signal?.throwIfAborted()
    if (isLate) throw mediaError('timed_out')
    return { stdout, stderr, exitCode: child.signalCode ? null : child.exitCode }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', kill)
    if (child.exitCode === null && child.signalCode === null) kill()
  }
}

/** All of what is said; whoever says more than there is to say is stopped. */
async function readStart(stream: ReadableStream<Uint8Array>, stop: () => void): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.byteLength
    if (bytes <= MAX_REPORT_BYTES) chunks.push(chunk)
    else stop()
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}
