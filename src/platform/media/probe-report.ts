import { z } from 'zod'
import { isProtected } from './encryption.ts'
import { checkHost } from './host-fault.ts'
import { probedInput } from './hostile-input.ts'
import { mediaError, reasonOf } from './reasons.ts'
import { readTail, spawnTool } from './spawn.ts'
import type { Tools } from './tools.ts'

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
/** A report is made of nothing else, so that a hostile file cannot make it long. */
const shown = [
  'format=format_name,duration,bit_rate:format_tags',
  'stream=index,codec_type,codec_name,codec_tag_string,sample_rate,sample_fmt,bits_per_sample,bits_per_raw_sample',
  'stream=channels,channel_layout,bit_rate,duration:stream_tags:stream_disposition=attached_pic,default',
  'frame=stream_index,nb_samples',
].join(':')

/**
 * What ffprobe says of a file, and which streams gave sound when their beginning was decoded.
 * @returns with what it complained of
 * @throws MediaError when it makes nothing of the file
 */
export async function ask(tools: Tools, file: string, signal?: AbortSignal) {
  if (Bun.file(file).size === 0) throw mediaError('empty')
  const args = [
    ...['-hide_banner', '-v', 'warning', '-max_alloc', String(512 << 20), '-of', 'json', '-show_entries', shown],
    // Sound is decoded, films and pictures are not.
    ...['-show_frames', '-read_intervals', `%+#${HEARD_PACKETS}`, '-skip_frame:v', 'all'],
    ...[...probedInput, '-i', `file:${file}`],
  ]
  const child = spawnTool(tools, 'ffprobe', args, { stdout: 'pipe', timeoutMs: TIMEOUT_MS, signal })
  const [stdout, ended] = await Promise.all([readTail(child.stdout), child.ended])
  signal?.throwIfAborted()
  checkHost([ended], TIMEOUT_MS)
  const said = ended.stderr
  const parsed = ended.exitCode === 0 ? report.safeParse(jsonOf(stdout)) : undefined
  if (parsed?.success) return { ...parsed.data, said }
  if (await isProtected(file)) throw mediaError('encrypted', said)
  const unread = isRecognized(said) ? 'corrupted' : 'not_audio'
  throw mediaError(reasonOf(ended, ended.signal ? 'decoder_failed' : unread), said)
}

/** Some container was made out, but what is in it makes no sense. */
const isRecognized = (said: string) => /^\[[\w,]+ @/m.test(said) && !isGuess(said) && !/not on whitelist/.test(said)

/** Any bytes look a little like some format. */
export const isGuess = (said: string) => /low score of/.test(said)

/** Null for a report that was cut off. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
