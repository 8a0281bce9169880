import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { availablePrefix } from '../ffmpeg/command.ts'
import type { Tools } from '../ffmpeg/run.ts'
import { withoutAddressLimit, wrapped } from '../ffmpeg/sandbox.ts'
import { type Ended, killGroup } from '../ffmpeg/spawn.ts'
import { wallMsFor } from '../ffmpeg/time-limit.ts'

const PROGRAM = join(import.meta.dir, 'program.ts')
export const CPU_SECONDS = 30
const MAX_REPORT_BYTES = 65_536
const MAX_FILE_BYTES = 32 * 2 ** 20
/**
 * Memory in bytes (the largest accepted picture needs about half), CPU seconds, and bytes per written file. The first
 * process of a namespace ignores the signal of the soft limit of CPU time.
 */
const bounds = [`--data=${2 ** 30}`, `--cpu=${CPU_SECONDS}:${CPU_SECONDS + 1}`, `--fsize=${MAX_FILE_BYTES}`]

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
 * @returns its output and how it ended. A program that was killed for too much output has no signal.
 * @throws AbortError of the given signal
 */
export async function runCoverProgram(
  { sandbox, pictureView }: Pick<Tools, 'sandbox' | 'pictureView'>,
  image: string,
  folder: string,
  signal?: AbortSignal,
  program = PROGRAM,
): Promise<Ended & { stdout: string }> {
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
  const kill = () => killGroup(child.pid)
  let [timedOut, isTooLong] = [false, false]
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, wallMsFor(CPU_SECONDS))
  const stop = () => {
    isTooLong = true
    kill()
  }
  signal?.addEventListener('abort', kill)
  try {
    const [stdout, stderr] = await Promise.all([readStart(child.stdout, stop), readStart(child.stderr, stop)])
    await child.exited
    signal?.throwIfAborted()
    const signalled = child.signalCode === null ? null : String(child.signalCode)
    const cpuMs = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000
    const exitCode = signalled ? null : child.exitCode
    return { stdout, stderr, exitCode, signal: isTooLong ? null : signalled, timedOut, cpuMs }
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
