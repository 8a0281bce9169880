import { aac } from './aac.ts'
import { mp3 } from './mp3.ts'
import { ogg } from './ogg.ts'
import { opus } from './opus.ts'

/** Codecs of transcodes and previews. */
export const codecs = { aac, mp3, ogg, opus }
export type AudioCodec = keyof typeof codecs
