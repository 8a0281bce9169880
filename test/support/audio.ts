import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PACKAGED_FFMPEG, PACKAGED_FFPROBE, toolsFor } from './tools.ts'

/**
 * Makes a file with the packaged ffmpeg and returns its bytes.
 * @param args everything between `ffmpeg` and the output file
 * @param extension decides the container
 */
export const makeMedia = (args: string[], extension: string) => makeMediaWith(PACKAGED_FFMPEG, args, extension)

/** Makes or decodes a file with the ffmpeg on the PATH. One of 2018 writes fewer layouts, and ends Vorbis elsewhere. */
export const makeHostMedia = (args: string[], extension: string) =>
  makeMediaWith(toolsFor(`a.${extension}`).ffmpeg, args, extension)

async function makeMediaWith(ffmpeg: string, args: string[], extension: string): Promise<Uint8Array<ArrayBuffer>> {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-sound-'))
  try {
    const file = join(folder, `made.${extension}`)
    run([ffmpeg, '-v', 'error', '-y', ...args, file])
    return await Bun.file(file).bytes()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A sine tone. */
export function tone(
  seconds: number,
  extension = 'wav',
  { rate = 44_100, channels = 2, hz = 440, codec = [] as string[] } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const source = `sine=frequency=${hz}:sample_rate=${rate}:duration=${seconds}`
  return makeMedia(['-f', 'lavfi', '-i', source, '-ac', String(channels), ...codec], extension)
}

export interface Measured {
  codec: string
  sampleRate: number
  channels: number
  durationSeconds: number
  /** Bits per second of the whole file. */
  bitRate: number
  tags: Record<string, string>
  hasCover: boolean
}

/** Measures a file with ffprobe, the reference for everything that the service makes. */
export async function measure(bytes: Uint8Array | ArrayBuffer): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-probe-'))
  try {
    const file = join(folder, 'sound')
    await Bun.write(file, bytes)
    const { streams, format } = JSON.parse(
      run([PACKAGED_FFPROBE, '-v', 'error', '-of', 'json', '-show_streams', '-show_format', file]),
    )
    const audio = streams.find((stream: { codec_type: string }) => stream.codec_type === 'audio')
    return {
      codec: audio?.codec_name,
      sampleRate: Number(audio?.sample_rate),
      channels: audio?.channels,
      durationSeconds: Number(format.duration),
      bitRate: Number(format.bit_rate),
      tags: { ...audio?.tags, ...format.tags },
      hasCover: streams.some((stream: { codec_type: string }) => stream.codec_type === 'video'),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function run(command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command)
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
  return stdout.toString()
}
