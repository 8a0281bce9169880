import { z } from 'zod'
import { readClippedJson } from './clipped-json.ts'
import { ffprobeFlags } from './ffmpeg/flags.ts'
import { checkHost } from './ffmpeg/host-fault.ts'
import { probedInput } from './ffmpeg/hostile-input.ts'
import { findReason, mediaError } from './ffmpeg/reasons.ts'
import { spawnTool } from './ffmpeg/spawn.ts'
import { wallMsFor, withCpuLimit } from './ffmpeg/time-limit.ts'
import type { Tools } from './ffmpeg/tools.ts'
import { isProtected } from './formats/encryption.ts'
import { nameUnreadForm } from './formats/unread-form.ts'

/** Honest files take less than a second. For all runs of a probe. */
const CPU_SECONDS = 10
/** Number of packets that are decoded to detect sound: about two seconds of most codecs. */
const HEARD_PACKETS = 100

const numeric = z.coerce.number().positive().nullish().catch(null)
const tagsOf = z.record(z.string(), z.coerce.string()).catch({}).default({})
const noDisposition = { attached_pic: 0, default: 0 }
const stream = z.object({
  index: z.number(),
  codec_type: z.string().catch('unknown'),
  codec_name: z.string().catch('unknown'),
  codec_tag_string: z.string().catch(''),
  sample_rate: numeric,
  sample_fmt: z.string().catch('fltp'),
  bits_per_sample: numeric,
  bits_per_raw_sample: numeric,
  channel_layout: z.string().nullish().catch(null),
  channels: numeric,
  bit_rate: numeric,
  duration: numeric,
  start_time: numeric,
  tags: tagsOf,
  disposition: z.object({ attached_pic: z.number(), default: z.number() }).catch(noDisposition).default(noDisposition),
})
export type ProbedStream = z.infer<typeof stream>
const report = z.object({
  format: z.object({ format_name: z.string(), duration: numeric, bit_rate: numeric, tags: tagsOf }),
  streams: z.array(stream).default([]),
  chapters: z
    .array(
      z.object({
        start_time: z.coerce.number().catch(-1),
        end_time: z.coerce.number().nullish().catch(null),
        tags: tagsOf,
      }),
    )
    .catch([])
    .default([]),
  frames: z.array(z.object({ stream_index: z.number().default(-1), nb_samples: z.number().default(0) })).default([]),
})
/** Entries of ffprobe's report. */
const entries = [
  'format=format_name,duration,bit_rate:stream_disposition=attached_pic,default',
  'stream=index,codec_type,codec_name,codec_tag_string,sample_rate,sample_fmt,bits_per_sample,bits_per_raw_sample',
  'stream=channels,channel_layout,bit_rate,duration,start_time',
  'frame=stream_index,nb_samples',
]
const allTags = ['format_tags', 'stream_tags', 'chapter=start_time,end_time', 'chapter_tags=title']
/** Tags that processing depends on. */
const neededTags = ['stream_tags=comment,enc_key_id']

/** More than `lowerKeys` in probe.ts keeps of a tag; a character takes up to 6 bytes. */
const MAX_STRING_BYTES = 8192
/** Room for hundreds of tags of that length. */
const MAX_REPORT_BYTES = 4 << 20

/**
 * Runs ffprobe on a file. Reports the streams, and which of them yielded sound when their beginning was decoded. Long
 * tags are truncated; a file with too many tags has none.
 * @returns the report, with ffprobe's messages
 * @throws MediaError when the file cannot be read; any other error for an incomplete report
 */
export async function probeReport(tools: Tools, file: string, signal?: AbortSignal) {
  if (Bun.file(file).size === 0) throw mediaError('empty')
  const first = await run(tools, file, allTags, CPU_SECONDS, signal)
  const remainingSeconds = Math.max(1, CPU_SECONDS - first.cpuMs / 1000)
  const ended = first.stdout === null ? await run(tools, file, neededTags, remainingSeconds, signal) : first
  // The number of streams and frames bounds the report.
  if (ended.stdout === null) throw new Error('the report of ffprobe is too long')
  const messages = ended.stderr
  if (ended.exitCode === 0) return { ...parsed(ended.stdout), messages }
  if (await isProtected(file)) throw mediaError('encrypted', messages)
  await refuseUnreadForm(file, messages)
  const unread = isRecognized(messages) ? 'corrupted' : 'not_audio'
  throw mediaError(findReason(ended, CPU_SECONDS, ended.signal ? 'decoder_failed' : unread), messages)
}

/** @throws MediaError `unsupported_codec` for a container of sound that is not read */
export async function refuseUnreadForm(file: string, messages: string): Promise<void> {
  const form = await nameUnreadForm(file)
  if (form !== null) throw mediaError('unsupported_codec', messages, `It is ${form}.`)
}

/** @returns how it ended, and its report. Null for a report that is too long. */
async function run(tools: Tools, file: string, tags: readonly string[], cpuSeconds: number, signal?: AbortSignal) {
  const args = [
    ...ffprobeFlags,
    ...['-of', 'json'],
    ...['-show_entries', [...entries, ...tags].join(':')],
    // Only sound is decoded, no films or pictures.
    ...['-show_frames', '-read_intervals', `%+#${HEARD_PACKETS}`, '-skip_frame:v', 'all'],
    ...[...probedInput, '-i', `file:${file}`],
  ]
  const options = { stdout: 'pipe', timeoutMs: wallMsFor(tools, cpuSeconds), signal } as const
  const child = spawnTool(withCpuLimit(tools, cpuSeconds), 'ffprobe', args, options)
  const bounds = { maxStringBytes: MAX_STRING_BYTES, maxBytes: MAX_REPORT_BYTES }
  const stdout = await readClippedJson(child.stdout, bounds)
  if (stdout === null) child.kill()
  const ended = await child.ended
  signal?.throwIfAborted()
  if (stdout !== null) checkHost([ended], cpuSeconds)
  return { ...ended, stdout }
}

/** A container was recognized, but its content is invalid. */
const isRecognized = (messages: string) =>
  /^\[[\w,]+ @/m.test(messages) && !isGuess(messages) && !/not on whitelist/.test(messages)

/** Whether the format is a guess: any bytes resemble some format. */
export const isGuess = (messages: string) => /low score of/.test(messages)

/** @throws Error for output that is not a report: a broken ffprobe, independent of the file */
function parsed(text: string): z.infer<typeof report> {
  try {
    return report.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error('ffprobe ended without a report', { cause })
  }
}
