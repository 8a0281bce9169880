import type { Chapter } from '../chapter.ts'
import type { TagContent } from './content.ts'
import { type TagField, toFields } from './fields.ts'
import { writeFlac } from './flac.ts'
import { type Gain, r128Gain, replayGain } from './gain.ts'
import { writeId3 } from './id3.ts'
import { writeMp4 } from './mp4.ts'
import { writeOgg } from './ogg.ts'
import type { Picture } from './picture.ts'
import { writeWav } from './wav.ts'

/** Tags of a finished audio file. */
export interface FileTags {
  /** Tags of the source: one value, or several, by ffprobe's name. Null strips them, and the chapters. */
  tags: Readonly<Record<string, string | readonly string[]>> | null
  /** In the order of their start. Defaults to none. */
  chapters?: readonly Chapter[]
  /** Length of the file, where its last chapter ends. */
  durationSeconds?: number
  /** Local picture. Null for none. */
  cover: { file: string; type: Picture['type'] } | null
  /** Loudness of the file, for players that normalize. Written only together with tags. */
  gain: Gain | null
}

/**
 * Replaces the tags and the picture of a finished file. Without any, removes those of the encoder. The sound and its
 * declared start and end are unchanged.
 * @param file local path of the encoder's output: MP4, MP3, FLAC, WAV, Ogg with Vorbis or with Opus
 * @throws MediaError `encoder_failed` for an invalid file or picture
 */
export async function writeTags(file: string, format: TagFormat, content: FileTags): Promise<void> {
  const { tags, chapters = [], durationSeconds = 0, cover, gain } = content
  const fields: TagField[] = tags ? [...toFields(tags), ...gainFields(format, gain)] : []
  const picture = cover && { bytes: Buffer.from(await Bun.file(cover.file).arrayBuffer()), type: cover.type }
  await writers[format](file, { fields, chapters: tags ? chapters : [], picture, durationSeconds })
}

type TagWriter = (file: string, content: TagContent) => Promise<void>

/** Leaves a file without tags as it is: its encoder writes none. */
const unlessEmpty =
  (write: TagWriter): TagWriter =>
  async (file, content) => {
    const { fields, chapters, picture } = content
    if (fields.length > 0 || chapters.length > 0 || picture) await write(file, content)
  }

const writers = {
  aac: unlessEmpty(writeMp4),
  alac: unlessEmpty(writeMp4),
  mp3: unlessEmpty(writeId3),
  ogg: (file, content) => writeOgg(file, 'vorbis', content),
  opus: (file, content) => writeOgg(file, 'opus', content),
  flac: unlessEmpty(writeFlac),
  wav: unlessEmpty(writeWav),
} satisfies Record<string, TagWriter>

export type TagFormat = keyof typeof writers

function gainFields(format: string, gain: Gain | null): TagField[] {
  if (!gain) return []
  return format === 'opus' ? r128Gain(gain) : replayGain(gain)
}
