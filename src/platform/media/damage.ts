import { type Decoded, exactEnd, strictness } from './encode.ts'
import { checkHost } from './ffmpeg/host-fault.ts'
import { hostileInput } from './ffmpeg/hostile-input.ts'
import { spawnTool } from './ffmpeg/spawn.ts'
import { wallMsFor, withCpuLimit } from './ffmpeg/time-limit.ts'
import type { Tools } from './ffmpeg/tools.ts'
import { findMissing } from './missing.ts'
import type { Probe } from './probe.ts'
import type { MediaRecording } from './recording.ts'

/** Streams that begin or end within a frame are not damaged there. */
const MIN_SECONDS = 0.1
/**
 * Frames of sound that are reported, and the length of short ones in samples. The frames of a file may have 16 samples, so
 * that hours of it would be gigabytes of messages.
 */
const [MAX_FRAMES, MIN_FRAME_SAMPLES] = [400_000, 512]
/** Messages after which the damage counts as not located. */
const MAX_MESSAGE_CHARS = 128 << 20
/** Padding that a decoder returns in addition to the announced length. */
const PADDING_SECONDS = 0.02
/** CPU time for a decoder, which is many times faster than the sound. */
const CPU_SECONDS_OF_START = 120

/** Errors of ffmpeg and its decoders. Wrapper commands of the sandbox have other forms. */
const anyError = /^(?:\[[^\]]+ @ |Error )/m

/**
 * Finds the first place at which a recording is damaged: its decoder reports an error and continues later. If the
 * decoder has reported errors, decodes the recording again, up to that place.
 * @param decoded the whole sound
 * @returns seconds of the sound before the damage; null without any, and when it cannot be located
 * @throws HostFault; AbortError of the recording's signal
 */
export async function findDamage(
  tools: Tools,
  { file, probe, folder: cwd, signal }: MediaRecording,
  { errors, durationSeconds: decodedSeconds }: Pick<Decoded, 'errors' | 'durationSeconds'>,
  maxMessageChars = MAX_MESSAGE_CHARS,
): Promise<number | null> {
  if (!anyError.test(errors)) return null
  if (isJoined(probe, decodedSeconds)) return null
  const frameSamples = Math.max(MIN_FRAME_SAMPLES, Math.ceil((decodedSeconds * probe.sampleRate) / MAX_FRAMES))
  const args = [
    ...['-nostdin', '-hide_banner', '-nostats', '-v', 'level+info', '-threads', '1'],
    ...[...hostileInput, ...strictness(probe), ...exactEnd(probe), '-i', `file:${file}`],
    ...['-map', `0:${probe.audioStream}`, '-af', `asetnsamples=n=${frameSamples}:p=0,ashowinfo`, '-f', 'null', '-'],
  ]
  const cpuSeconds = CPU_SECONDS_OF_START + decodedSeconds
  const log = damageReader(probe.container)
  let chars = 0
  const child = spawnTool(withCpuLimit(tools, cpuSeconds), 'ffmpeg', args, {
    timeoutMs: wallMsFor(tools, cpuSeconds),
    signal,
    cwd,
    onMessages(text) {
      chars += text.length
      if (chars > maxMessageChars || log.read(text) !== null) child.kill()
    },
  })
  const ended = await child.ended
  signal?.throwIfAborted()
  const damageSeconds = log.found()
  if (damageSeconds === null && chars <= maxMessageChars) checkHost([ended], cpuSeconds)
  return isEnd(probe, decodedSeconds, damageSeconds) ? null : damageSeconds
}

/** Whether an error is where a cut file ends, within a frame or a sample. */
const isEnd = (probe: Probe, decodedSeconds: number, damageSeconds: number | null) =>
  damageSeconds !== null && damageSeconds > decodedSeconds - MIN_SECONDS && findMissing(probe, decodedSeconds) !== null

/**
 * Whether a recording may have been joined from several files, with their tags in the middle, which its decoder cannot
 * read. It contains more than it announces. An MP3 without a count of samples could be one.
 */
function isJoined({ container, announcedSeconds }: Probe, decodedSeconds: number): boolean {
  if (announcedSeconds === null) return container === 'mp3'
  return decodedSeconds > announcedSeconds + PADDING_SECONDS
}

const frameLine = /^\[Parsed_ashowinfo\S* @ \w+\] \[info\] n:.* rate:(\d+) nb_samples:(\d+) /
/** Not of the muxer, which complains about the times of joined streams. */
const errorLine = /^(?:\[(?!null @)[^\]]+ @ \w+\] )?\[(?:error|fatal)\] /
/** Ogg has a checksum for each page. Decoders complain about the headers of a stream that follows another. */
const oggErrorLine = /^\[ogg @ \w+\] \[(?:error|fatal)\] /

/**
 * Reads messages of ffmpeg with their levels, in which every frame of sound is a line of `ashowinfo`.
 * @param container as ffprobe names it
 */
export function damageReader(container: string) {
  const isError = container === 'ogg' ? oggErrorLine : errorLine
  let rest = ''
  let seconds = 0
  let suspected: number | null = null
  let framesSince = 0
  let damageSeconds: number | null = null

  function readLine(line: string): void {
    const frame = frameLine.exec(line)
    if (frame) {
      // The first frame may consist of sound that was decoded before the error: frames have a fixed length.
      if (suspected !== null) framesSince += 1
      if (framesSince > 1) damageSeconds ??= suspected
      seconds += Number(frame[2]) / Number(frame[1])
    } else if (seconds >= MIN_SECONDS && isError.test(line)) {
      suspected ??= seconds
    }
  }

  return {
    /** Adds messages. @returns `found` */
    read(text: string): number | null {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) readLine(line)
      return damageSeconds
    },
    /** Seconds of sound before the first error that more sound follows. Null until found. */
    found: () => damageSeconds,
  }
}
