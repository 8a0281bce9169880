/**
 * Demuxers for audio, and for films with audio, that read a single file: no playlists, concatenations, manifests or
 * image sequences.
 */
const demuxers = [
  'aac',
  'ac3',
  'aiff',
  'amr',
  'amrnb',
  'amrwb',
  'ape',
  'asf',
  'au',
  'caf',
  'dsf',
  'dts',
  'dtshd',
  'eac3',
  'flac',
  'loas',
  'matroska',
  'mlp',
  'mov',
  'mp3',
  'mpc',
  'mpc8',
  'mpegts',
  'ogg',
  'tak',
  'truehd',
  'tta',
  'voc',
  'w64',
  'wav',
  'wv',
]

const sampleForms = [
  's8',
  'u8',
  's16le',
  's16be',
  'u16le',
  'u16be',
  's24le',
  's24be',
  'u24le',
  'u24be',
  's32le',
  's32be',
  'u32le',
  'u32be',
  's64le',
  's64be',
  'f32le',
  'f32be',
  'f64le',
  'f64be',
  'alaw',
  'mulaw',
  'bluray',
  'dvd',
  's8_planar',
  's16le_planar',
  's16be_planar',
  's24le_planar',
  's32le_planar',
]
/** Codecs whose decoder has the same name. */
const plainCodecs = [
  'aac',
  'aac_latm',
  'ac3',
  'adpcm_ima_qt',
  'adpcm_ima_wav',
  'adpcm_ms',
  'adpcm_swf',
  'adpcm_yamaha',
  'alac',
  'ape',
  'dsd_lsbf',
  'dsd_lsbf_planar',
  'dsd_msbf',
  'dsd_msbf_planar',
  'eac3',
  'flac',
  'mlp',
  'tak',
  'truehd',
  'tta',
  'wavpack',
  'wmalossless',
  'wmapro',
  'wmav1',
  'wmav2',
  'wmavoice',
  ...sampleForms.map((form) => `pcm_${form}`),
]

/**
 * Supported codecs, with the names of their decoders; a build of ffmpeg has one or another. Decoders of other codecs
 * (games, obsolete players) are less tested against malicious files.
 */
const decodersOf: Record<string, readonly string[]> = {
  ...Object.fromEntries(plainCodecs.map((codec) => [codec, [codec]])),
  adpcm_g722: ['g722'],
  adpcm_g726: ['g726'],
  adpcm_g726le: ['g726le'],
  amr_nb: ['amrnb', 'libopencore_amrnb'],
  amr_wb: ['amrwb', 'libopencore_amrwb'],
  dts: ['dca'],
  gsm: ['gsm', 'libgsm'],
  gsm_ms: ['gsm_ms', 'libgsm_ms'],
  mp1: ['mp1', 'mp1float'],
  mp2: ['mp2', 'mp2float'],
  mp3: ['mp3', 'mp3float'],
  musepack7: ['mpc7'],
  musepack8: ['mpc8'],
  opus: ['opus', 'libopus'],
  speex: ['speex', 'libspeex'],
  vorbis: ['vorbis', 'libvorbis'],
}
const pictureDecoders = ['bmp', 'gif', 'mjpeg', 'png', 'webp']

/** @param codec ffprobe's name */
export const isReadable = (codec: string) => Object.hasOwn(decodersOf, codec)

export const MAX_STREAMS = 64

/** Options before an untrusted input of ffprobe, which opens a decoder for every stream. */
export const probedInput = [
  ...['-protocol_whitelist', 'file'],
  ...['-format_whitelist', demuxers.join(',')],
  ...['-max_streams', String(MAX_STREAMS)],
  ...['-max_pixels', '25000000'],
  ...['-probesize', '20000000', '-analyzeduration', '20000000'],
]

/** Options before an untrusted input of ffmpeg. */
export const hostileInput = [
  ...probedInput,
  '-codec_whitelist',
  [...Object.values(decodersOf).flat(), ...pictureDecoders].join(','),
]
