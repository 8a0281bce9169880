import { findTools } from '../../src/platform/media/ffmpeg/run.ts'

/** The media programs of this machine, looked for once per process. */
export const hostTools = await findTools({})
export const { ffmpeg: FFMPEG, ffprobe: FFPROBE } = hostTools
/** Whether ffmpeg is older than 5.0, as the npm package's build of 2018 is. */
export const isOldFfmpeg = hostTools.outdated.includes('ffmpeg')
