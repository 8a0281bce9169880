import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toolsFor } from '../support/tools.ts'
import type { Bytes } from './uploads.ts'

/** Decoded sound. */
export interface Sound {
  rate: number
  /** Samples of each channel. Full scale is 1. */
  channels: Float32Array[]
}

/** Writes bytes into a folder of their own, which exists while they are used. */
export async function withFile<T>(bytes: Uint8Array, name: string, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-corpus-'))
  try {
    const file = join(folder, name)
    await Bun.write(file, bytes)
    return await use(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Runs a program.
 * @returns what it prints on both outputs
 * @throws when it fails
 */
export async function run(command: readonly string[]): Promise<{ stdout: Bytes; stderr: string }> {
  const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${exitCode} ${stderr}`)
  return { stdout: new Uint8Array(stdout), stderr }
}

/** Sound that begins a megabyte after the start of a file is found. */
const PATIENT = ['-probesize', '20M']

export interface Report {
  codec: string
  rate: number
  channels: number
  /** Of the container. */
  seconds: number
  /** Values by tag in lower case, of the stream and of the container. */
  tags: Record<string, string>
  chapters: { title: string | undefined; startSeconds: number }[]
  hasPicture: boolean
}

interface ProbedStream {
  codec_type: string
  codec_name: string
  sample_rate: string
  channels: number
  tags?: Record<string, string>
}

/** Reads a file with ffprobe. @param name whose extension helps to find the container. Defaults to none. */
export const probe = (bytes: Uint8Array, name = 'sound'): Promise<Report> =>
  withFile(bytes, name, async (file) => {
    const { stdout } = await run([
      ...[
        toolsFor(name).ffprobe,
        '-v',
        'error',
        ...PATIENT,
        '-of',
        'json',
        '-show_streams',
        '-show_format',
        '-show_chapters',
        file,
      ],
    ])
    const { streams, format, chapters } = JSON.parse(Buffer.from(stdout).toString())
    const audio = streams.find(({ codec_type: type }: ProbedStream) => type === 'audio') as ProbedStream
    const tags = Object.entries<string>({ ...audio.tags, ...format.tags })
    return {
      codec: audio.codec_name,
      rate: Number(audio.sample_rate),
      channels: audio.channels,
      seconds: Number(format.duration),
      tags: Object.fromEntries(tags.map(([key, value]) => [key.toLowerCase(), value])),
      chapters: chapters.map(({ tags, start_time: start }: { tags?: { title?: string }; start_time: string }) => ({
        title: tags?.title,
        startSeconds: Number(start),
      })),
      hasPicture: streams.some(({ codec_type: type }: ProbedStream) => type === 'video'),
    }
  })

/**
 * Decodes a file with ffmpeg.
 * @param rate Hz to resample to. Defaults to that of the file.
 * @param filter mixes channels. Defaults to none.
 * @param name whose extension helps to find the container. Defaults to none.
 */
export async function decode(
  bytes: Uint8Array,
  { rate, filter, name = 'sound' }: { rate?: number; filter?: string; name?: string } = {},
) {
  const wav = ['-f', 'wav', '-c:a', 'pcm_f32le', '-map_metadata', '-1', '-fflags', '+bitexact']
  const resampled = rate === undefined ? [] : ['-ar', String(rate)]
  return withFile(bytes, name, async (file) => {
    const out = `${file}.wav`
    const filters = filter === undefined ? [] : ['-af', filter]
    const input = ['-nostdin', '-v', 'error', ...PATIENT, '-i', file, '-map', '0:a:0']
    await run([toolsFor(name).ffmpeg, ...input, ...filters, ...resampled, ...wav, out])
    return readWav(await Bun.file(out).bytes())
  })
}

/** Reads a WAV of 16 or 24 bits or of floats. */
function readWav(bytes: Uint8Array): Sound {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const format = buffer.indexOf('fmt ') + 8
  const count = buffer.readUInt16LE(format + 2)
  const bits = buffer.readUInt16LE(format + 14)
  const at = buffer.indexOf('data', format) + 8
  const width = bits / 8
  const frames = Math.floor((buffer.length - at) / (width * count))
  const sample =
    bits === 32 ? (i: number) => buffer.readFloatLE(i) : (i: number) => buffer.readIntLE(i, width) / 2 ** (bits - 1)
  const channels = Array.from({ length: count }, (_, channel) =>
    Float32Array.from({ length: frames }, (_, frame) => sample(at + (frame * count + channel) * width)),
  )
  return { rate: buffer.readUInt32LE(format + 4), channels }
}

/** Decoders that share no code with ffmpeg, by the name that ffprobe has for the codec. */
export const decoders: Record<string, { program: string; args: (file: string, wav: string) => string[] }> = {
  mp3: { program: 'mpg123', args: (file, wav) => ['-q', '-w', wav, file] },
  opus: { program: 'opusdec', args: (file, wav) => ['--quiet', '--no-dither', file, wav] },
  vorbis: { program: 'oggdec', args: (file, wav) => ['-Q', '-o', wav, file] },
  flac: { program: 'flac', args: (file, wav) => ['-s', '-d', '-o', wav, file] },
  pcm_s16le: { program: 'sox', args: (file, wav) => ['-t', 'wav', file, wav] },
}

/** Decodes a file with the decoder of its codec. */
export async function decodeWith(codec: string, bytes: Uint8Array): Promise<Sound> {
  const decoder = decoders[codec]
  if (!decoder) throw new Error(`no decoder of ${codec}`)
  return withFile(bytes, `sound.${codec}`, async (file) => {
    const wav = `${file}.wav`
    await run([decoder.program, ...decoder.args(file, wav)])
    return readWav(await Bun.file(wav).bytes())
  })
}
