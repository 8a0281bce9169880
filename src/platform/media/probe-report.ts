import { z } from 'zod'
import { readClippedJson } from './clipped-json.ts'
import { checkHost } from './ffmpeg/host-fault.ts'
import { probedInput } from './ffmpeg/hostile-input.ts'
import { mediaError, reasonOf } from './ffmpeg/reasons.ts'
import { spawnTool } from './ffmpeg/spawn.ts'
import type { Tools } from './ffmpeg/tools.ts'
import { isProtected } from './formats/encryption.ts'

const TIMEOUT_MS = 30_000
/** How many packets are decoded to hear whether there is sound: about two seconds of most codecs. */
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
  tags: tagsOf,
  disposition: z.object({ attached_pic: z.number(), default: z.number() }).catch(noDisposition).default(noDisposition),
})
export type Stream = z.infer<typeof stream>
const report = z.object({
  format: z.object({ format_name: z.string(), duration: numeric, bit_rate: numeric, tags: tagsOf }),
  streams: z.array(stream).default([]),
  frames: z.array(z.object({ stream_index: z.number().default(-1), nb_samples: z.number().default(0) })).default([]),
})
/** What ffprobe reports. */
const shown = [
  'format=format_name,duration,bit_rate:stream_disposition=attached_pic,default',
  'stream=index,codec_type,codec_name,codec_tag_string,sample_rate,sample_fmt,bits_per_sample,bits_per_raw_sample',
  'stream=channels,channel_layout,bit_rate,duration',
  'frame=stream_index,nb_samples',
]
const allTags = ['format_tags', 'stream_tags']
/** Tags that decide what becomes of a recording. */
const neededTags = ['stream_tags=comment,enc_key_id']

/** More than `lowerKeys` in probe.ts keeps of a tag, whose characters take up to 6 bytes each. */
const MAX_STRING_BYTES = 8192
/** Room for hundreds of tags of that length. */
const MAX_REPORT_BYTES = 4 << 20

/**
 * What ffprobe says of a file, and which streams gave sound when their beginning was decoded. Long tags are cut; a file
 * with too many of them has none.
 * @returns with what it complained of
 * @throws MediaError when it makes nothing of the file; any other error for a report that it did not finish
 */
export async function ask(tools: Tools, file: string, signal?: AbortSignal) {
  if (Bun.file(file).size === 0) throw mediaError('empty')
  const ended = (await run(tools, file, allTags, signal)) ?? (await run(tools, file, neededTags, signal))
  // Bounded by the number of streams and frames.
  if (!ended) throw new Error('the report of ffprobe is too long')
  const said = ended.stderr
  if (ended.exitCode === 0) return { ...parsed(ended.stdout), said }
  if (await isProtected(file)) throw mediaError('encrypted', said)
  const unread = isRecognized(said) ? 'corrupted' : 'not_audio'
  throw mediaError(reasonOf(ended, ended.signal ? 'decoder_failed' : unread), said)
}

/** Null for a report that is too long. */
async function run(tools: Tools, file: string, tags: readonly string[], signal?: AbortSignal) {
  const args = [
    ...['-hide_banner', '-v', 'warning', '-max_alloc', String(512 << 20), '-of', 'json'],
    ...['-show_entries', [...shown, ...tags].join(':')],
    // Sound is decoded, films and pictures are not.
    ...['-show_frames', '-read_intervals', `%+#${HEARD_PACKETS}`, '-skip_frame:v', 'all'],
    ...[...probedInput, '-i', `file:${file}`],
  ]
  const child = spawnTool(tools, 'ffprobe', args, { stdout: 'pipe', timeoutMs: TIMEOUT_MS, signal })
  const bounds = { maxStringBytes: MAX_STRING_BYTES, maxBytes: MAX_REPORT_BYTES }
  const stdout = await readClippedJson(child.stdout, bounds)
  if (stdout === null) child.kill()
  const ended = await child.ended
  signal?.throwIfAborted()
  if (stdout === null) return null
  checkHost([ended], TIMEOUT_MS)
  return { ...ended, stdout }
}

/** Some container was made out, but what is in it makes no sense. */
const isRecognized = (said: string) => /^\[[\w,]+ @/m.test(said) && !isGuess(said) && !/not on whitelist/.test(said)

/** Any bytes look a little like some format. */
export const isGuess = (said: string) => /low score of/.test(said)

/** @throws Error for what is not a report: ffprobe is not what it should be, whatever the file is */
function parsed(text: string): z.infer<typeof report> {
  try {
    return report.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error('ffprobe ended without a report', { cause })
  }
}
