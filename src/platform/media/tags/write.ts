import { type Field, fieldsOf } from './fields.ts'
import { writeFlac } from './flac.ts'
import { type Gain, r128Gain, replayGain } from './gain.ts'
import { writeId3 } from './id3.ts'
import { writeMp4 } from './mp4.ts'
import { writeOgg } from './ogg.ts'
import type { Picture } from './picture.ts'

/** Tags of a finished audio file. */
export interface FileTags {
  /** Tags of the source, as ffprobe reports them. Null strips them. */
  tags: Readonly<Record<string, string>> | null
  /** Local picture. Null for none. */
  cover: { file: string; type: Picture['type'] } | null
  /** Loudness of the file, for players that normalize. Written only together with tags. */
  gain: Gain | null
}

/**
 * Replaces the tags and the picture of a finished file. Without any, removes those of the encoder. The sound and its
 * declared start and end are unchanged.
 * @param file local path of the encoder's output: MP4, MP3, FLAC, Ogg with Vorbis or with Opus
 * @throws MediaError `encoder_failed` for an invalid file or picture
 */
export async function writeTags(file: string, format: TagFormat, { tags, cover, gain }: FileTags): Promise<void> {
  const fields: Field[] = tags ? [...fieldsOf(tags), ...gainFields(format, gain)] : []
  const picture = cover && { bytes: Buffer.from(await Bun.file(cover.file).arrayBuffer()), type: cover.type }
  await writers[format](file, fields, picture)
}

type TagWriter = (file: string, fields: readonly Field[], picture: Picture | null) => Promise<void>

/** Leaves a file without tags as it is: its encoder writes none. */
const unlessEmpty =
  (write: TagWriter): TagWriter =>
  async (file, fields, picture) => {
    if (fields.length > 0 || picture) await write(file, fields, picture)
  }

const writers = {
  aac: unlessEmpty(writeMp4),
  mp3: unlessEmpty(writeId3),
  ogg: (file, fields, picture) => writeOgg(file, 'vorbis', fields, picture),
  opus: (file, fields, picture) => writeOgg(file, 'opus', fields, picture),
  flac: unlessEmpty(writeFlac),
} satisfies Record<string, TagWriter>

export type TagFormat = keyof typeof writers

function gainFields(format: string, gain: Gain | null): Field[] {
  if (!gain) return []
  return format === 'opus' ? r128Gain(gain) : replayGain(gain)
}
