import { type Field, fieldsOf } from './fields.ts'
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
 * @param file local path of the encoder's output: MP4, MP3, Ogg with Vorbis or with Opus
 * @throws MediaError `encoder_failed` for an invalid file or picture
 */
export async function writeTags(
  file: string,
  format: 'aac' | 'mp3' | 'ogg' | 'opus',
  { tags, cover, gain }: FileTags,
): Promise<void> {
  const fields: Field[] = tags ? [...fieldsOf(tags), ...gainFields(format, gain)] : []
  const picture = cover && { bytes: Buffer.from(await Bun.file(cover.file).arrayBuffer()), type: cover.type }
  if (format === 'ogg' || format === 'opus') {
    return writeOgg(file, format === 'ogg' ? 'vorbis' : 'opus', fields, picture)
  }
  // Our encoders write no tags into the other two.
  if (fields.length === 0 && !picture) return
  await (format === 'mp3' ? writeId3(file, fields, picture) : writeMp4(file, fields, picture))
}

function gainFields(format: string, gain: Gain | null): Field[] {
  if (!gain) return []
  return format === 'opus' ? r128Gain(gain) : replayGain(gain)
}
