import { join } from 'node:path'
import { bareArgs, exactEnd, filterArgs, type Recording } from './encode.ts'
import { checkDuration, DURATION_TOLERANCE_SECONDS, describeOutput, notMade } from './ffmpeg/output.ts'
import { hostileInput, runTool, type Tools } from './ffmpeg/run.ts'
import { layoutFilters } from './mix.ts'

/** A film of two pictures of one size with the recording's sound: the played one uncovers the other from left to right. */
export interface ProgressVideo {
  /** Name of the result inside the scratch folder. */
  fileName: string
  /** Both even: the colours of four pixels are stored as one. */
  width: number
  height: number
  /** Frames a second. */
  fps: number
  /** RGBA, four bytes a pixel, row by row, opaque. */
  played: Uint8Array
  unplayed: Uint8Array
  /** Where the playhead starts and ends, in pixels from the left. */
  startX: number
  endX: number
  /** Output options of ffmpeg for the sound, AAC. */
  audio: { filters: readonly string[]; args: readonly string[] }
  channels: number
}

/** Seconds between pictures that a player can jump to: near enough for seeking, rare enough to stay small. */
const KEYFRAME_SECONDS = 10

/**
 * One thread and the fastest preset: nearly every block repeats the frame before, so that effort saves few bytes, and
 * recordings that are waiting for a worker matter more.
 */
const encoder = [
  ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'stillimage', '-profile:v', 'main', '-crf', '23'],
  ...['-threads:v', '1', '-pix_fmt', 'yuv420p', '-flags:v', '+bitexact'],
  ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'],
]

/**
 * Makes the film as MP4 (H.264, AAC) whose index stands in front.
 * @param durationSeconds decoded length of the recording
 * @returns local path of the result, measured
 * @throws MediaError `encoder_failed`, `timed_out`
 */
export async function encodeProgressVideo(
  tools: Tools,
  { file: source, probe, folder, signal }: Recording,
  video: ProgressVideo,
  durationSeconds: number,
): Promise<string> {
  const file = join(folder, video.fileName)
  const [played, unplayed] = [`${file}.played`, `${file}.unplayed`]
  await Promise.all([Bun.write(played, video.played), Bun.write(unplayed, video.unplayed)])
  const { exitCode, stderr } = await runTool(
    tools,
    'ffmpeg',
    [
      ...['-nostdin', '-hide_banner', '-v', 'error', '-max_alloc', String(512 << 20)],
      ...['-filter_threads', '1', '-filter_complex_threads', '1'],
      ...pictureInput(video, played),
      ...pictureInput(video, unplayed),
      ...[...hostileInput, ...exactEnd(probe), '-i', `file:${source}`],
      ...['-filter_complex', progressFilter(video, durationSeconds), '-map', '[film]', ...encoder],
      ...['-g', String(video.fps * KEYFRAME_SECONDS)],
      ...['-map', `2:${probe.audioStream}`, ...filterArgs([...layoutFilters(probe), ...video.audio.filters])],
      ...[...video.audio.args, ...bareArgs],
      ...['-movflags', '+faststart', '-f', 'mp4', '-y', `file:${file}`],
    ],
    { timeoutMs: timeoutFor(durationSeconds), signal },
  )
  if (exitCode !== 0) throw notMade(stderr)
  await checkVideo(tools, file, video, durationSeconds, signal)
  return file
}

function pictureInput({ width, height, fps }: ProgressVideo, file: string): string[] {
  const format = ['-f', 'rawvideo', '-pixel_format', 'rgba', '-video_size', `${width}x${height}`]
  return [...format, '-framerate', String(fps), '-i', `file:${file}`]
}

/** Whole frames that begin and end within the sound, so that the film is not longer than it; but one at least. */
const frameCount = (fps: number, durationSeconds: number) => Math.max(1, Math.floor(fps * durationSeconds))

/**
 * The unplayed picture slides off the played one: cut at the playhead and laid at the playhead, so that its bars stay
 * where they are. Each picture is converted once and then repeated; a frame costs no more than a copy.
 */
function progressFilter({ width, height, fps, startX, endX }: ProgressVideo, durationSeconds: number): string {
  const convert = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p'
  const frames = frameCount(fps, durationSeconds)
  const repeat = `loop=loop=-1:size=1:start=0,settb=1/${fps},setpts=N,trim=end_frame=${frames}`
  // Even, for colours are stored for pairs of pixels: cutting and laying must round alike.
  const playhead = `2*floor((${startX}+${endX - startX}*t/${durationSeconds.toFixed(6)})/2)`
  // Twice as wide, so that there is something to cut where the playhead has moved on.
  const cut = `pad=w=2*iw:h=ih,${repeat},crop=w=${width}:h=${height}:x='${playhead}':y=0`
  return [
    `[0:v]${convert},${repeat}[played]`,
    `[1:v]${convert},${cut}[unplayed]`,
    `[played][unplayed]overlay=x='${playhead}':y=0:eval=frame:format=yuv420[film]`,
  ].join(';')
}

/** What the finished file says of itself must be what was asked for. */
async function checkVideo(
  tools: Tools,
  file: string,
  video: ProgressVideo,
  durationSeconds: number,
  signal?: AbortSignal,
): Promise<void> {
  const shown = 'stream=codec_type,codec_name,width,height,channels,duration'
  const { streams } = await describeOutput<{
    streams: {
      codec_type: string
      codec_name: string
      width?: number
      height?: number
      channels?: number
      duration?: string
    }[]
  }>(tools, file, ['-show_entries', shown], signal)
  const [film, sound] = ['video', 'audio'].map((type) => streams.find(({ codec_type }) => codec_type === type))
  const found = [film?.codec_name, film?.width, film?.height, sound?.codec_name, sound?.channels].join()
  const asked = ['h264', video.width, video.height, 'aac', video.channels].join()
  if (found !== asked) throw notMade(`it is ${found}, not ${asked}`)
  checkDuration(Number(sound?.duration), durationSeconds)
  checkDuration(Number(film?.duration), durationSeconds, 1 / video.fps + DURATION_TOLERANCE_SECONDS)
}

/**
 * Wall time for one film. The other files of the track appear together with it, so it may not hold them up for much
 * longer than the recording lasts.
 */
function timeoutFor(durationSeconds: number): number {
  return Math.ceil(120 + durationSeconds) * 1000
}
