import { join } from 'node:path'
import { bareArgs, decoderArgs, filterArgs } from './encode.ts'
import { runEngine } from './engine/run-engine.ts'
import { ffmpegFlags } from './ffmpeg/flags.ts'
import { checkHost } from './ffmpeg/host-fault.ts'
import { checkDuration, DURATION_TOLERANCE_SECONDS, describeOutput, notMade } from './ffmpeg/output.ts'
import { findReason, mediaError } from './ffmpeg/reasons.ts'
import { wallMsFor, withCpuLimit } from './ffmpeg/time-limit.ts'
import type { Tools } from './ffmpeg/tools.ts'
import { failureFor, maxFileBytes } from './limits.ts'
import type { MediaRecording } from './recording.ts'

/**
 * A film of two pictures of the same size with the recording's sound. The played picture replaces the other from left
 * to right.
 */
export interface ProgressVideo {
  /** Name of the result inside the scratch folder. */
  fileName: string
  /** Both even, because four pixels share one chroma sample. */
  width: number
  height: number
  /** Frames per second. */
  fps: number
  /** RGBA, four bytes per pixel, row by row, opaque. */
  played: Uint8Array
  unplayed: Uint8Array
  /** Start and end of the playhead, in pixels from the left. */
  startX: number
  endX: number
  /** ffmpeg's options for the sound, AAC. */
  audio: { filters: readonly string[]; args: readonly string[] }
  channels: number
}

/** With its sound. Several times what films of waveforms take. */
const FILM_BYTES_PER_SECOND = 250_000

/** Seconds between keyframes: close enough for seeking, far enough for small files. */
const KEYFRAME_SECONDS = 10

/**
 * One thread and the fastest preset. Nearly every block repeats the previous frame, so more effort saves few bytes, and
 * recordings in the queue matter more.
 */
const encoder = [
  ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'stillimage', '-profile:v', 'main', '-crf', '23'],
  ...['-threads:v', '1', '-pix_fmt', 'yuv420p', '-flags:v', '+bitexact'],
  ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'],
]

/**
 * Encodes the film as MP4 (H.264, AAC) with the index at its start.
 * @param durationSeconds decoded length of the recording
 * @returns local path of the result, measured
 * @throws MediaError `encoder_failed`, `output_too_large`, `timed_out`, or as `encodeAll` does
 */
export async function encodeProgressVideo(
  tools: Tools,
  { file: source, probe, folder, signal }: MediaRecording,
  video: ProgressVideo,
  durationSeconds: number,
): Promise<string> {
  const file = join(folder, video.fileName)
  const [played, unplayed] = [`${file}.played`, `${file}.unplayed`]
  await Promise.all([Bun.write(played, video.played), Bun.write(unplayed, video.unplayed)])
  const args = [
    ...ffmpegFlags,
    ...['-filter_threads', '1', '-filter_complex_threads', '1'],
    ...pictureInput(video, played),
    ...pictureInput(video, unplayed),
    ...['-protocol_whitelist', 'pipe', '-f', 'wav', '-i', 'pipe:0'],
    ...['-filter_complex', progressFilter(video, durationSeconds), '-map', '[film]', ...encoder],
    // Since FFmpeg 7 setpts forgets the rate of its frames.
    ...['-r', String(video.fps), '-g', String(video.fps * KEYFRAME_SECONDS)],
    ...['-map', '2:a', ...filterArgs(video.audio.filters), ...video.audio.args, ...bareArgs],
    ...['-movflags', '+faststart', '-f', 'mp4', '-y', `file:${file}`],
  ]
  const cpuSeconds = cpuSecondsFor(durationSeconds)
  const order = {
    tools: withCpuLimit(tools, cpuSeconds),
    timeoutMs: wallMsFor(tools, cpuSeconds),
    folder,
    maxSeconds: durationSeconds + DURATION_TOLERANCE_SECONDS,
    isMetered: false,
    splits: [],
    decoder: { args: decoderArgs(source, probe), maxFileBytes: 0 },
    encoders: [{ args, maxFileBytes: maxFileBytes(FILM_BYTES_PER_SECOND, durationSeconds) }],
  }
  const { decoder: decoded, encoders } = await runEngine(order, { signal })
  checkHost([decoded, ...encoders], cpuSeconds)
  if (decoded.exitCode !== 0) throw mediaError(findReason(decoded, cpuSeconds, 'decoder_failed'), decoded.stderr)
  for (const ended of encoders) if (ended.exitCode !== 0) throw failureFor(ended, cpuSeconds)
  await checkVideo(tools, file, video, durationSeconds, signal)
  return file
}

function pictureInput({ width, height, fps }: ProgressVideo, file: string): string[] {
  const format = ['-f', 'rawvideo', '-pixel_format', 'rgba', '-video_size', `${width}x${height}`]
  return [...format, '-framerate', String(fps), '-i', `file:${file}`]
}

/** Number of whole frames within the sound, so that the film is not longer than it. At least one. */
const frameCount = (fps: number, durationSeconds: number) => Math.max(1, Math.floor(fps * durationSeconds))

/**
 * The unplayed picture is cropped and overlaid at the playhead, so that its bars keep their position. Each picture is
 * converted once and repeated, so a frame costs one copy.
 */
function progressFilter({ width, height, fps, startX, endX }: ProgressVideo, durationSeconds: number): string {
  const convert = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p'
  const frames = frameCount(fps, durationSeconds)
  const repeat = `loop=loop=-1:size=1:start=0,settb=1/${fps},setpts=N,trim=end_frame=${frames}`
  // Even, because two pixels share a chroma sample: crop and overlay must round alike.
  const playhead = `2*floor((${startX}+${endX - startX}*t/${durationSeconds.toFixed(6)})/2)`
  // Twice as wide, so that the crop stays inside the picture when the playhead moves.
  const cut = `pad=w=2*iw:h=ih,${repeat},crop=w=${width}:h=${height}:x='${playhead}':y=0`
  return [
    `[0:v]${convert},${repeat}[played]`,
    `[1:v]${convert},${cut}[unplayed]`,
    `[played][unplayed]overlay=x='${playhead}':y=0:eval=frame:format=yuv420[film]`,
  ].join(';')
}

/** Compares the result with the request. */
async function checkVideo(
  tools: Tools,
  file: string,
  video: ProgressVideo,
  durationSeconds: number,
  signal?: AbortSignal,
): Promise<void> {
  const entries = 'stream=codec_type,codec_name,width,height,channels,duration'
  const { streams } = await describeOutput<{
    streams: {
      codec_type: string
      codec_name: string
      width?: number
      height?: number
      channels?: number
      duration?: string
    }[]
  }>(tools, file, ['-show_entries', entries], signal)
  const [film, sound] = ['video', 'audio'].map((type) => streams.find(({ codec_type }) => codec_type === type))
  const fileStreams = [film?.codec_name, film?.width, film?.height, sound?.codec_name, sound?.channels].join()
  const orderedStreams = ['h264', video.width, video.height, 'aac', video.channels].join()
  if (fileStreams !== orderedStreams) throw notMade(`it is ${fileStreams}, not ${orderedStreams}`)
  checkDuration(Number(sound?.duration), durationSeconds)
  checkDuration(Number(film?.duration), durationSeconds, 1 / video.fps + DURATION_TOLERANCE_SECONDS)
}

/**
 * CPU time for one film. The track is not ready before it, and a rebuild publishes all files with it, so it may not take
 * much longer than the recording lasts.
 */
const cpuSecondsFor = (durationSeconds: number) => 120 + durationSeconds
