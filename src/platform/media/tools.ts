import { chmodSync } from 'node:fs'
import { OperatorError } from '../errors.ts'
import { findSandbox, type Sandbox } from './sandbox.ts'

/** The media programs of this machine and what bounds them here. */
export interface Tools extends Sandbox {
  /** Absolute paths: a run has no environment in which they could be looked for. */
  ffmpeg: string
  ffprobe: string
  /** What ffmpeg calls itself, such as `5.1.9-0+deb12u1`. */
  version: string
}

/**
 * Finds ffmpeg and ffprobe: the configured ones, else those on PATH, else the npm packages'.
 * @throws OperatorError when a configured program does not run
 */
export async function findTools(configured: { ffmpeg?: string; ffprobe?: string }): Promise<Tools> {
  const [ffmpeg, ffprobe] = [await locate('ffmpeg', configured.ffmpeg), await locate('ffprobe', configured.ffprobe)]
  return {
    ffmpeg: ffmpeg.path,
    ffprobe: ffprobe.path,
    version: ffmpeg.version,
    ...findSandbox([ffmpeg.path, ffprobe.path]),
  }
}

async function locate(name: 'ffmpeg' | 'ffprobe', configured?: string): Promise<{ path: string; version: string }> {
  const wanted = configured ?? Bun.which(name) ?? (await packaged(name))
  const path = Bun.which(wanted)
  if (!path) throw new OperatorError(`${name.toUpperCase()}: ${wanted} does not exist`)
  const { exitCode, stdout } = Bun.spawnSync([path, '-version'], { stderr: 'ignore' })
  if (exitCode !== 0) throw new OperatorError(`${name.toUpperCase()}: ${path} does not run`)
  return { path, version: /^ff\w+ version (\S+)/.exec(stdout.toString())?.[1] ?? 'unknown' }
}

async function packaged(name: 'ffmpeg' | 'ffprobe'): Promise<string> {
  const { default: installer } =
    name === 'ffmpeg' ? await import('@ffmpeg-installer/ffmpeg') : await import('@ffprobe-installer/ffprobe')
  chmodSync(installer.path, 0o755)
  return installer.path
}
