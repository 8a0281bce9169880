import { chmodSync } from 'node:fs'
import ffmpeg from '@ffmpeg-installer/ffmpeg'
import ffprobe from '@ffprobe-installer/ffprobe'
import { findTools } from '../../src/platform/media/ffmpeg/run.ts'
import { TEST_MEDIA } from './server.ts'

/** The media programs of this machine, looked for once per process. */
export const hostTools = await findTools({})
export const { ffmpeg: FFMPEG, ffprobe: FFPROBE } = hostTools
/** Whether ffmpeg is older than 5.0, as the npm package's build of 2018 is. */
export const isOldFfmpeg = hostTools.outdated.includes('ffmpeg')

for (const { path } of [ffmpeg, ffprobe]) chmodSync(path, 0o755)
/**
 * The static builds of the npm packages. Tests make and measure files with these, and services of tests that are not about
 * sound process with them: they start in 2 ms, while a distribution's build loads 200 libraries, which takes 80 ms.
 */
export const [PACKAGED_FFMPEG, PACKAGED_FFPROBE] = [ffmpeg.path, ffprobe.path]
export const packagedTools = await findTools({ ffmpeg: PACKAGED_FFMPEG, ffprobe: PACKAGED_FFPROBE })
/** Programs of a service. With those of the packages, a run takes half the CPU time: 0.5 s in place of 1.2 s. */
export const serviceTools = process.env[TEST_MEDIA] === 'host' ? hostTools : packagedTools
/**
 * The same without their sandbox, for files that repeat the run of one recording at many moments: a sixth less CPU time.
 * All other services process in the sandbox.
 */
export const repeatedTools =
  process.env[TEST_MEDIA] === 'host'
    ? hostTools
    : { ...packagedTools, sandbox: [], runtimeSandbox: [], fileView: null, pictureView: null }
