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
  /** Maximum length of a recording, in seconds. Defaults to 12 hours. */
  maxSeconds?: number
}

export type ProgramName = 'ffmpeg' | 'ffprobe'

export interface Program {
  path: string
  version: string
  isOutdated: boolean
}

/**
 * Finds ffmpeg and ffprobe: the configured ones, else those on PATH, else those of the npm packages.
 * @throws OperatorError when a configured program does not run
 */
export async function findTools(configured: { ffmpeg?: string; ffprobe?: string }): Promise<Tools> {
  const ffmpeg = await findProgram('ffmpeg', configured.ffmpeg)
  const ffprobe = await findProgram('ffprobe', configured.ffprobe)
  return {
    ffmpeg: ffmpeg.path,
    ffprobe: ffprobe.path,
    version: ffmpeg.version,
    ffprobeVersion: ffprobe.version,
    outdated: (['ffmpeg', 'ffprobe'] as const).filter((name) => (name === 'ffmpeg' ? ffmpeg : ffprobe).isOutdated),
    ...findSandbox([ffmpeg.path, ffprobe.path]),
  }
}

/** Time limit in milliseconds for a question such as `-version`. */
const ANSWER_MS = 10_000

/**
 * Finds one media program like `findTools`.
 * @throws OperatorError when it does not exist or does not run
 */
export async function findProgram(name: ProgramName, configured?: string): Promise<Program> {
  const command = configured ?? Bun.which(name) ?? (await packaged(name))
  const path = Bun.which(command)
  if (!path) throw new OperatorError(`${name.toUpperCase()}: ${command} does not exist`)
  const { exitCode, stdout } = Bun.spawnSync([path, '-version'], { stderr: 'ignore', timeout: ANSWER_MS })
  if (exitCode !== 0) throw new OperatorError(`${name.toUpperCase()}: ${path} does not run`)
  return { path, ...readVersion(stdout.toString()) }
}

/** Encoders of files, of the sound between programs, and of embedded covers. */
const encoders = [
  'aac',
  'alac',
  'flac',
  'libmp3lame',
  'libopus',
  'libvorbis',
  'pcm_f32le',
  'pcm_s16le',
  'pcm_s24le',
  'pcm_s32le',
  'libx264',
  'mjpeg',
]

/** Returns the required encoders that a build of ffmpeg does not have. @param path of the program */
export function missingEncoders(path: string): string[] {
  const { stdout } = Bun.spawnSync([path, '-hide_banner', '-encoders'], { stderr: 'ignore', timeout: ANSWER_MS })
  const names = new Set([...stdout.toString().matchAll(/^ [VAS][A-Z.]{5} (\S+)/gm)].map(([, name]) => name))
  return encoders.filter((name) => !names.has(name))
}

/** Major version of libavcodec in FFmpeg 5.0. */
const MIN_LIBAVCODEC = 59

/**
 * Parses the output of `-version`. Builds from git have no release number (`N-47683-g0e8eb07980`), so the version of
 * libavcodec decides: each major release of FFmpeg since 3.0 has its own.
 */
export function readVersion(output: string): Omit<Program, 'path'> {
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
