import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { availablePrefix } from './ffmpeg/command.ts'
import { markerReader } from './ffmpeg/markers.ts'
import { withoutAddressLimit, wrapped } from './ffmpeg/sandbox.ts'
import { awaitEnd, type EndedProcess, killGroup } from './ffmpeg/spawn.ts'
import { wallMsFor } from './ffmpeg/time-limit.ts'
import type { Tools } from './ffmpeg/tools.ts'

/** A program of ours that reads an untrusted file. */
export interface Program {
  /** Absolute path. */
  script: string
  /** Files and folders that it reads: its own, and the packages that it imports. */
  files: readonly string[]
  cpuSeconds: number
  /** Longer output ends it. */
  maxReportBytes: number
}

/** Memory in bytes, and bytes of each written file. */
const MAX_DATA_BYTES = 2 ** 30
const MAX_FILE_BYTES = 32 * 2 ** 20
/**
 * Addresses of compiled JavaScript, in bytes. Bun reserves 1 GiB by default, which the limit of memory refuses, and then
 * interprets everything: the colors of a cover take four times as long.
 */
const COMPILED_BYTES = 64 * 2 ** 20

/** Returns the folders of a package and its dependencies, as installed around `from`. */
export function packageFolders(name: string, from: string, folders = new Set<string>()): Set<string> {
  const folder = installedAt(name, from)
  if (folder === null || folders.has(folder)) return folders
  folders.add(folder)
  const { dependencies = {}, optionalDependencies = {} } = require(join(folder, 'package.json'))
  for (const inner of Object.keys({ ...dependencies, ...optionalDependencies })) packageFolders(inner, folder, folders)
  return folders
}

function installedAt(name: string, from: string): string | null {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(candidate)) return candidate
  }
  return null
}

/**
 * Runs a program of ours on an untrusted file: inside the sandbox of ffmpeg, with an empty environment, in a file view
 * with only its own files, the input and the folder, and in its own process group.
 * @param input local path, its first argument
 * @param folder writable, its second argument
 * @param args further arguments
 * @returns its output and how it ended. A program that was killed for too much output has no signal.
 * @throws AbortError of the given signal
 */
export async function runSandboxed(
  { sandbox, pictureView }: Pick<Tools, 'sandbox' | 'pictureView'>,
  { script, files, cpuSeconds, maxReportBytes }: Program,
  { input, folder, args = [] }: { input: string; folder: string; args?: readonly string[] },
  signal?: AbortSignal,
): Promise<EndedProcess & { stdout: string }> {
  signal?.throwIfAborted()
  const bounds = [`--data=${MAX_DATA_BYTES}`, `--cpu=${cpuSeconds}:${cpuSeconds + 1}`, `--fsize=${MAX_FILE_BYTES}`]
  const wrappers = [...withoutAddressLimit(sandbox), ...availablePrefix(['prlimit', ...bounds])]
  const options = { cwd: folder, maxFileBytes: MAX_FILE_BYTES, also: files }
  const target = { sandbox: wrappers, fileView: pictureView }
  const command = wrapped(target, process.execPath, [script, input, folder, ...args], options)
  const child = Bun.spawn(command, {
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
      BUN_JSC_jitMemoryReservationSize: String(COMPILED_BYTES),
    },
    detached: true,
  })
  const kill = () => killGroup(child.pid)
  let [timedOut, isTooLong] = [false, false]
  const timer = setTimeout(
    () => {
      timedOut = true
      kill()
    },
    wallMsFor(target, cpuSeconds),
  )
  const stop = () => {
    isTooLong = true
    kill()
  }
  signal?.addEventListener('abort', kill)
  try {
    const [stdout, messages] = await Promise.all([
      readStart(child.stdout, maxReportBytes, stop),
      readStart(child.stderr, maxReportBytes, stop),
    ])
    const markers = markerReader()
    markers.read(messages)
    await child.exited
    signal?.throwIfAborted()
    const ended = awaitEnd(child, command, markers.end(messages))
    return { ...ended, stdout, timedOut, hostFault: null, ...(isTooLong && { signal: null }) }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', kill)
    if (child.exitCode === null && child.signalCode === null) kill()
  }
}

/** Reads a stream up to a limit. Calls `stop` beyond it. */
async function readStart(stream: ReadableStream<Uint8Array>, limit: number, stop: () => void): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.byteLength
    if (bytes <= limit) chunks.push(chunk)
    else stop()
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** Parses the report of a program: the last line of its output. Null when it was cut off. */
export function lastLine(stdout: string): unknown {
  try {
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  } catch {
    return null
  }
}
