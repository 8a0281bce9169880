import { join } from 'node:path'
import { availablePrefix } from '../../command.ts'
import { mediaError } from '../reasons.ts'
import type { Tools } from '../run.ts'

const PROGRAM = join(import.meta.dir, 'program.ts')
const WALL_MS = 60_000
const MAX_REPORT_BYTES = 65_536
/**
 * Bytes of memory, CPU seconds, bytes of a written file. The engine reserves more addresses than it ever uses: what is
 * bounded is what it writes to. The largest picture that is taken needs about half.
 */
const bounds = [`--data=${2 ** 30}`, '--cpu=30', `--fsize=${32 * 2 ** 20}`]

/** What the child said on standard output and error; its exit status, or null where it was killed. */
interface Ended {
  stdout: string
  stderr: string
  exitCode: number | null
}

/**
 * Runs the program that decodes strangers' pictures, behind the wrappers that ffmpeg has, with an empty environment,
 * in a process group of its own, which is killed whole.
 * @param image local path
 * @param folder where it may write
 * @throws MediaError `timed_out`; AbortError of the given signal
 */
export async function runCoverProgram(
  tools: Pick<Tools, 'sandbox'>,
  image: string,
  folder: string,
  signal?: AbortSignal,
): Promise<Ended> {
  signal?.throwIfAborted()
  const wrappers = tools.sandbox.filter((argument) => !argument.startsWith('--as='))
  const child = Bun.spawn(
    [...wrappers, ...availablePrefix(['prlimit', ...bounds]), process.execPath, PROGRAM, image, folder],
    {
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
    },
  )
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
