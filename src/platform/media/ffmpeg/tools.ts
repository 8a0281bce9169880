import { chmodSync } from 'node:fs'
import { OperatorError } from '../../../config.ts'
import { findSandbox, type Sandbox } from './sandbox.ts'

/** The media programs of this host and their sandbox. */
export interface Tools extends Sandbox {
  /** Absolute paths, because a run has no environment with a PATH. */
  ffmpeg: string
  ffprobe: string
  /** Version that ffmpeg reports, such as `5.1.9-0+deb12u1`. */
  version: string
  ffprobeVersion: string
  /** Programs that are older than FFmpeg 5.0. */
  outdated: readonly ProgramName[]
}

type ProgramName = 'ffmpeg' | 'ffprobe'

interface Program {
  path: string
  version: string
  isOutdated: boolean
}

/**
 * Finds ffmpeg and ffprobe: the configured ones, else those on PATH, else those of the npm packages.
 * @throws OperatorError when a configured program does not run
 */
export async function findTools(configured: { ffmpeg?: string; ffprobe?: string }): Promise<Tools> {
  const [ffmpeg, ffprobe] = [await locate('ffmpeg', configured.ffmpeg), await locate('ffprobe', configured.ffprobe)]
  return {
    ffmpeg: ffmpeg.path,
    ffprobe: ffprobe.path,
    version: ffmpeg.version,
    ffprobeVersion: ffprobe.version,
    outdated: (['ffmpeg', 'ffprobe'] as const).filter((name) => (name === 'ffmpeg' ? ffmpeg : ffprobe).isOutdated),
    ...findSandbox([ffmpeg.path, ffprobe.path]),
  }
}

async function locate(name: ProgramName, configured?: string): Promise<Program> {
  const wanted = configured ?? Bun.which(name) ?? (await packaged(name))
  const path = Bun.which(wanted)
  if (!path) throw new OperatorError(`${name.toUpperCase()}: ${wanted} does not exist`)
  const { exitCode, stdout } = Bun.spawnSync([path, '-version'], { stderr: 'ignore' })
  if (exitCode !== 0) throw new OperatorError(`${name.toUpperCase()}: ${path} does not run`)
  return { path, ...readVersion(stdout.toString()) }
}

/** Major version of libavcodec in FFmpeg 5.0. */
const MIN_LIBAVCODEC = 59

/**
 * Parses the output of `-version`. Builds from git have no release number (`N-47683-g0e8eb07980`), so the version of
 * libavcodec decides: each major release of FFmpeg since 3.0 has its own.
 */
export function readVersion(output: string): Pick<Program, 'version' | 'isOutdated'> {
  const version = /^ff\w+ version (\S+)/.exec(output)?.[1] ?? 'unknown'
  const libavcodec = Number(/^libavcodec\s+(\d+)\./m.exec(output)?.[1] ?? Number.NaN)
  return { version, isOutdated: libavcodec < MIN_LIBAVCODEC }
}

async function packaged(name: ProgramName): Promise<string> {
  const { default: installer } =
    name === 'ffmpeg' ? await import('@ffmpeg-installer/ffmpeg') : await import('@ffprobe-installer/ffprobe')
  chmodSync(installer.path, 0o755)
  return installer.path
}
