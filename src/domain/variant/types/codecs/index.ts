import { aac } from './aac.ts'
import { alac } from './alac.ts'
import { flac } from './flac.ts'
import { mp3 } from './mp3.ts'
import { ogg } from './ogg.ts'
import { opus } from './opus.ts'
import { wav } from './wav.ts'

/** Codecs of transcodes. Previews and variants of single tracks are lossy. */
export const codecs = { aac, mp3, ogg, opus, flac, alac, wav }
export type AudioCodec = keyof typeof codecs
export type LossyCodec = {
  [Id in AudioCodec]: (typeof codecs)[Id]['isLossless'] extends false ? Id : never
}[AudioCodec]
export type LosslessCodec = Exclude<AudioCodec, LossyCodec>

const ids = Object.keys(codecs) as AudioCodec[]
/** Codecs with a bit rate, the only ones that clients may request (specification, section 8). */
export const lossyCodecs = ids.filter((id): id is LossyCodec => !codecs[id].isLossless)
export const losslessCodecs = ids.filter((id): id is LosslessCodec => codecs[id].isLossless)
