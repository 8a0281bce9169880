import { chmodSync, existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { availablePrefix } from '../command.ts'
import { OperatorError } from '../errors.ts'

/** The media programs of this machine and what bounds them here. */
export interface Tools {
  ffmpeg: string
  ffprobe: string
  /** Of ffmpeg, as it names it, such as `5.1.9-0+deb12u1`. */
  version: string
  /** Wrapper commands in front of every run. */
  sandbox: readonly string[]
  /** Bounds that this host does not allow; shown by /health/ready. */
  missing: readonly string[]
}

/** A file that cannot be worked on. The message is for the person who uploaded it. */
export class MediaError extends Error {
  override name = 'MediaError'
  readonly code: string
  /** What the program said, for the log only. */
  readonly detail: string

  constructor(code: string, message: string, detail = '') {
    super(message)
    this.code = code
    this.detail = detail
  }
}

const GIB = 1024 ** 3
const bounds: [name: string, wrapper: string[]][] = [
  ['network', ['unshare', '--net']],
  ['network', ['unshare', '--user', '--map-root-user', '--net']],
  // Address space, CPU seconds, size of a written file, open files; no core dumps.
  ['resources', ['prlimit', `--as=${6 * GIB}`, '--cpu=14400', `--fsize=${16 * GIB}`, '--nofile=128', '--core=0']],
  // Dies with us, even when we are killed outright; gains no rights.
  ['lifetime', ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs']],
  ['priority', ['nice', '-n', '10']],
]

/**
 * Finds ffmpeg and ffprobe: the configured ones, else those on PATH, else the npm packages'.
 * @throws OperatorError when a configured program does not run
 */
export async function findTools(configured: { ffmpeg?: string; ffprobe?: string }): Promise<Tools> {
  const sandbox: string[] = []
  const found = new Set<string>()
  for (const [name, wrapper] of bounds) {
    if (found.has(name)) continue
    const prefix = availablePrefix(wrapper)
    if (prefix.length > 0) found.add(name)
    sandbox.push(...prefix)
  }
  const missing = [...new Set(bounds.map(([name]) => name))].filter((name) => !found.has(name))
  const ffmpeg = await locate('ffmpeg', configured.ffmpeg)
  return {
    ffmpeg,
    version: versionOf(ffmpeg),
    ffprobe: await locate('ffprobe', configured.ffprobe),
    sandbox,
    missing,
  }
}

async function locate(name: 'ffmpeg' | 'ffprobe', configured?: string): Promise<string> {
  const path = configured ?? Bun.which(name) ?? (await packaged(name))
  if (!existsSync(path) && !Bun.which(path)) throw new OperatorError(`${name.toUpperCase()}: ${path} does not exist`)
  if (Bun.spawnSync([path, '-version'], { stdout: 'ignore', stderr: 'ignore' }).exitCode !== 0) {
    throw new OperatorError(`${name.toUpperCase()}: ${path} does not run`)
  }
  return path
}

/** The third word of the first line, `ffmpeg version 5.1.9-0+deb12u1 Copyright ...`. */
function versionOf(ffmpeg: string): string {
  const { stdout } = Bun.spawnSync([ffmpeg, '-version'], { stderr: 'ignore' })
  return stdout.toString().split(/\s/, 3)[2] ?? 'unknown'
}

async function packaged(name: 'ffmpeg' | 'ffprobe'): Promise<string> {
  const { default: installer } =
    name === 'ffmpeg' ? await import('@ffmpeg-installer/ffmpeg') : await import('@ffprobe-installer/ffprobe')
  chmodSync(installer.path, 0o755)
  return installer.path
}

/** Demuxers that read one file and nothing else: no playlists, no concatenation, no image sequences. */
const audioFormats =
  'aac,ac3,aiff,amr,amrnb,amrwb,ape,asf,au,caf,dts,eac3,flac,matroska,mov,mp3,mpc,mpc8,ogg,tta,w64,wav,wv'

/** Options in front of an input that a stranger made; the same for ffmpeg and ffprobe. */
export const hostileInput = [
  ...['-protocol_whitelist', 'file'],
  ...['-format_whitelist', audioFormats],
  ...['-max_pixels', '25000000'],
  ...['-probesize', '20000000', '-analyzeduration', '20000000'],
]

export interface RunOptions {
  /** Wall time after which it is killed. */
  timeoutMs: number
  signal?: AbortSignal
  /** Is told, about twice a second, how many seconds of the result there are; for ffmpeg with `progressArgs`. */
  onSeconds?: (seconds: number) => void
}

/** Makes ffmpeg say how far it is, on standard output, in lines that are the same in every version. */
export const progressArgs = ['-progress', 'pipe:1'] as const
/** Microseconds, whatever its name says: later versions keep it for the sake of who knows it. */
const progressLine = /^out_time_ms=(\d+)$/gm

/**
 * Runs ffmpeg or ffprobe with the host's bounds, an empty environment and no input.
 * @returns what it wrote to standard output and error, and its exit status (null when it was killed)
 * @throws MediaError `timed_out`; AbortError of the given signal
 */
export async function runTool(
  tools: Tools,
  program: 'ffmpeg' | 'ffprobe',
  args: readonly string[],
  options: RunOptions,
): Promise<{ stdout: string; stderr: string; exitCode: number | null }> {
  options.signal?.throwIfAborted()
  const child = Bun.spawn([...tools.sandbox, tools[program], ...args], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
    timeout: options.timeoutMs,
    killSignal: 'SIGKILL',
    signal: options.signal,
  })
  const started = performance.now()
  const { onSeconds } = options
  const [stdout, stderr] = await Promise.all([
    onSeconds ? readProgress(child.stdout, onSeconds) : readTail(child.stdout),
    readTail(child.stderr),
  ])
  await child.exited
  options.signal?.throwIfAborted()
  if (child.signalCode === 'SIGKILL' && performance.now() - started >= options.timeoutMs) {
    throw new MediaError('timed_out', 'The file took too long to process.')
  }
  return { stdout, stderr, exitCode: child.signalCode ? null : child.exitCode }
}

const MAX_OUTPUT_CHARS = 1 << 20

/** The end of what a program says: a hostile file can make it say gigabytes. */
async function readTail(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > 2 * MAX_OUTPUT_CHARS) text = text.slice(-MAX_OUTPUT_CHARS)
  }
  return text
}

/** Reads what `progressArgs` ask for. @returns the unfinished line at its end */
async function readProgress(stream: ReadableStream<Uint8Array>, onSeconds: (seconds: number) => void): Promise<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const text = rest + decoder.decode(chunk, { stream: true })
    const end = text.lastIndexOf('\n') + 1
    const last = [...text.slice(0, end).matchAll(progressLine)].at(-1)
    if (last) onSeconds(Number(last[1]) / 1e6)
    rest = text.slice(end)
  }
  return rest
}

/** Gives `use` a scratch folder of its own, which is removed whatever happens. */
export async function withScratch<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-'))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
