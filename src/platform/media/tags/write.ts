import { type Field, fieldsOf } from './fields.ts'
import { type Gain, r128Gain, replayGain } from './gain.ts'
import { writeId3 } from './id3.ts'
import { writeMp4 } from './mp4.ts'
import { writeOgg } from './ogg.ts'
import type { Picture } from './picture.ts'

/** What a finished audio file is to say of itself. */
export interface FileTags {
  /** The source's tags, as ffprobe gives them; null strips them. */
  tags: Readonly<Record<string, string>> | null
  /** A local picture; null where none is kept. */
  cover: { file: string; type: Picture['type'] } | null
  /** Loudness of this file's sound, for players that even it out; written only together with tags. */
  gain: Gain | null
}

/**
 * Writes tags and a picture into a finished file, in place of what it has; without any, what its encoder left there is
 * taken out. No sample changes, nor what tells players where the sound begins and ends.
 * @param file local path of what the encoder made: MP4, MP3, Ogg with Vorbis or with Opus
 * @throws MediaError `encoder_failed` when the file or the picture is not what it should be
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
  // Our encoders leave nothing of their own in the other two.
  if (fields.length === 0 && !picture) return
  await (format === 'mp3' ? writeId3(file, fields, picture) : writeMp4(file, fields, picture))
}

function gainFields(format: string, gain: Gain | null): Field[] {
  if (!gain) return []
  return format === 'opus' ? r128Gain(gain) : replayGain(gain)
}
