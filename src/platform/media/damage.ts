import { type Decoded, strictness } from './encode.ts'
import { ffprobeFlags } from './ffmpeg/flags.ts'
import { checkHost } from './ffmpeg/host-fault.ts'
import { probedInput } from './ffmpeg/hostile-input.ts'
import { spawnTool } from './ffmpeg/spawn.ts'
import { wallMsFor, withCpuLimit } from './ffmpeg/time-limit.ts'
import type { Tools } from './ffmpeg/tools.ts'
import { findMissing } from './missing.ts'
import type { Probe } from './probe.ts'
import type { MediaRecording } from './recording.ts'

/** Streams that begin or end within a frame are not damaged there. */
const MIN_SECONDS = 0.1
/** Report after which the damage counts as not located: 17 hours in packets of 20 ms. A packet may have 16 samples. */
const MAX_REPORT_BYTES = 256 << 20
/** Shortest gap between packets that is a damage, if half of a packet is not shorter. Some containers round times to milliseconds. */
const GAP_SECONDS = 0.005
/** Difference between times that a recorder takes from a clock, and the sound. */
const CLOCK_JITTER_SECONDS = 0.05
/** Share of the announced length of a packet below which some of its sound was lost. */
const MIN_SHARE = 0.8
/** Padding that a decoder returns in addition to the announced length. */
const PADDING_SECONDS = 0.02
/** CPU time for a decoder, which is many times faster than the sound. */
const CPU_SECONDS_OF_START = 120
/** Level of errors in the log of ffmpeg (libavutil/log.h). */
const ERROR_LEVEL = 16

/** Errors of ffmpeg and its decoders. Wrapper commands of the sandbox have other forms. */
const anyError = /^(?:\[[^\]]+ @ |Error )/m
/** An error within a Matroska file, which may have cost packets. */
const matroskaError = /^\[matroska\S* @ \S+\] (?!File ended prematurely|Read error)/m

/**
 * Finds the first place at which a recording is damaged: its decoder reports an error and continues later. If the decoder has
 * reported errors, ffprobe decodes the recording again, up to that place. It reads, decodes and prints one packet after the other,
 * while decoders of ffmpeg run ahead in threads since FFmpeg 7.
 * @param decoded the whole sound
 * @returns seconds of the sound before the damage; null without any, and when it cannot be located
 * @throws HostFault; AbortError of the recording's signal
 */
export async function findDamage(
  tools: Tools,
  { file, probe, folder: cwd, signal }: MediaRecording,
  { errors, durationSeconds: decodedSeconds }: Pick<Decoded, 'errors' | 'durationSeconds'>,
  maxReportBytes = MAX_REPORT_BYTES,
): Promise<number | null> {
  if (!anyError.test(errors)) return null
  if (isJoined(probe, decodedSeconds)) return null
  const args = [
    ...ffprobeFlags,
    ...['-threads', '1', ...probedInput, ...strictness(probe)],
    ...[
      '-select_streams',
      String(probe.audioStream),
      '-show_packets',
      '-show_frames',
      '-show_log',
      String(ERROR_LEVEL),
    ],
    ...['-show_entries', 'packet=pts_time,duration_time:frame=nb_samples:log=level', '-of', 'compact'],
    ...['-i', `file:${file}`],
  ]
  const cpuSeconds = CPU_SECONDS_OF_START + decodedSeconds
  const options = { stdout: 'pipe', timeoutMs: wallMsFor(tools, cpuSeconds), signal, cwd } as const
  const child = spawnTool(withCpuLimit(tools, cpuSeconds), 'ffprobe', args, options)
  const report = damageReader(probe, timeJitter(probe, errors))
  const decoder = new TextDecoder()
  let bytes = 0
  for await (const chunk of child.stdout) {
    bytes += chunk.length
    if (bytes <= maxReportBytes && report.read(decoder.decode(chunk, { stream: true })) === null) continue
    child.kill()
    break
  }
  const ended = await child.ended
  signal?.throwIfAborted()
  const damageSeconds = report.found()
  if (damageSeconds === null && bytes <= maxReportBytes) checkHost([ended], cpuSeconds)
  return isEnd(probe, decodedSeconds, damageSeconds) ? null : damageSeconds
}

/** Whether an error is where the sound ends, or where a cut file does, within a frame or a sample. */
const isEnd = (probe: Probe, decodedSeconds: number, damageSeconds: number | null) =>
  damageSeconds !== null &&
  (damageSeconds >= decodedSeconds ||
    (damageSeconds > decodedSeconds - MIN_SECONDS && findMissing(probe, decodedSeconds) !== null))

/**
 * Whether a recording may have been joined from several files, with their tags in the middle, which its decoder cannot
 * read. It contains more than it announces. An MP3 without a count of samples could be one.
 */
function isJoined({ container, announcedSeconds }: Probe, decodedSeconds: number): boolean {
  if (announcedSeconds === null) return container === 'mp3'
  return decodedSeconds > announcedSeconds + PADDING_SECONDS
}

/** Lines of a report. The time and length of a packet are in seconds, or `N/A`. A frame with errors has a `level` for each. */
const packetLine = /^packet\|pts_time=([^|]*)\|duration_time=([^|]*)/
const frameLine = /^frame\|nb_samples=(\d+)/

/**
 * Difference that times of packets may have to the length of their sound, in seconds, in a recording without damage. Recorders
 * of browsers and calls write times of a clock, with pauses, to MP4 and Matroska.
 */
function timeJitter({ container }: Pick<Probe, 'container'>, errors: string): number {
  if (container.startsWith('mov,')) return Number.POSITIVE_INFINITY
  if (!container.startsWith('matroska')) return 0
  return matroskaError.test(errors) ? CLOCK_JITTER_SECONDS : Number.POSITIVE_INFINITY
}

/**
 * Reads a report of ffprobe with the packets, each before its frames. A damage is a packet that lacks frames, a frame whose decoder
 * reports an error, or a gap between the times of packets. In Ogg it is a gap, as pages with a wrong checksum leave; decoders
 * complain about the headers of a stream that follows another.
 * @param jitterSeconds added to the shortest gap that is a damage
 */
export function damageReader({ container, sampleRate }: Pick<Probe, 'container' | 'sampleRate'>, jitterSeconds = 0) {
  const isOgg = container === 'ogg'
  let rest = ''
  let seconds = 0
  /** Time of the next packet, if none is missing. */
  let nextTime = Number.NaN
  /** Announced and decoded length of the last packet. The first is NaN where it is not announced. */
  let [announced, decoded] = [Number.NaN, 0]
  let suspected: number | null = null
  let damageSeconds: number | null = null

  function suspect(): void {
    if (seconds >= MIN_SECONDS) suspected ??= seconds
  }

  function readPacket(time: number, duration: number): void {
    const isLost = !isOgg && (decoded === 0 || decoded < MIN_SHARE * announced)
    const minGap = Math.min(GAP_SECONDS, announced / 2 || GAP_SECONDS)
    if (isLost || time - nextTime > minGap + jitterSeconds) suspect()
    nextTime = Number.isNaN(time) ? nextTime : time
    if (!Number.isNaN(duration)) nextTime += duration
    announced = duration
    decoded = 0
  }

  function readFrame(samples: number, hasError: boolean): void {
    if (hasError && !isOgg) suspect()
    damageSeconds ??= suspected
    const length = samples / sampleRate
    decoded += length
    seconds += length
    if (Number.isNaN(announced)) nextTime += length
  }

  function readLine(line: string): void {
    const packet = packetLine.exec(line)
    if (packet) readPacket(Number(packet[1]), Number(packet[2]))
    const frame = frameLine.exec(line)
    if (frame) readFrame(Number(frame[1]), line.includes('|level='))
  }

  return {
    /** Adds a part of the report. @returns `found` */
    read(text: string): number | null {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) readLine(line)
      return damageSeconds
    },
    /** Seconds of sound before the first damage that more sound follows. Null until found. */
    found: () => damageSeconds,
  }
}
