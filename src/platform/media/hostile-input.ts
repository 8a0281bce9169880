/** Demuxers that read one file and nothing else: no playlists, no concatenation, no image sequences. */
const audioFormats =
  'aac,ac3,aiff,amr,amrnb,amrwb,ape,asf,au,caf,dts,eac3,flac,matroska,mov,mp3,mpc,mpc8,ogg,tta,w64,wav,wv'

/** Options in front of an input that a stranger made; the same for ffmpeg and ffprobe. */
export const hostileInput = [
  ...['-protocol_whitelist', 'file'],
  ...['-format_whitelist', audioFormats],
  ...['-max_pixels', '25000000'],
  ...['-probesize', '20000000', '-analyzeduration', '20000000'],
]
