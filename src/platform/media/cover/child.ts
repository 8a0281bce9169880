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
/** Memory in bytes (the largest accepted picture needs about half), CPU seconds, and bytes per written file. */
const bounds = [`--data=${2 ** 30}`, '--cpu=30', `--fsize=${MAX_FILE_BYTES}`]

/** The child's output, and its exit status, null when it was killed. */
interface Ended {
  stdout: string
  stderr: string
  exitCode: number | null
}

/** Returns the folders of a package and its dependencies, as installed around `from`. */
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

/** Files that the program needs: its own, and libvips with its loader. */
const programFiles = [import.meta.dir, ...packageFolders('sharp', import.meta.dir)]

/**
 * Runs the program that decodes uploaded pictures: inside the sandbox of ffmpeg, with an empty environment, in a file
 * view with only its own files, the picture and the folder, and in its own process group.
 * @param image local path
 * @param folder writable
 * @param program script to run. Defaults to the cover program.
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
  const options = { cwd: folder, maxFileBytes: MAX_FILE_BYTES, also: programFiles, isFirst: true }
  const target = { sandbox: wrappers, fileView: pictureView }
  const bounded = wrapped(target, process.execPath, [program, image, folder], options)
  const child = Bun.spawn(bounded, {
    cwd: folder,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    // No lookups outside of the folder, and no cache that outlives the run.
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
      // Already exited.
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

/** Reads a stream up to the limit. Calls `stop` beyond it. */
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
