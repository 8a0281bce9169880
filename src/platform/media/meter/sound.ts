/** How the samples given to a meter are to be read. */
export interface SoundFormat {
  /** In Hz. */
  sampleRate: number
  channels: number
  /** WAVE speaker mask (SPEAKER_FRONT_LEFT=1, ...), 0 where unknown. */
  channelMask: number
}

/** Interleaved; integers are full scale, floats have it at 1. */
export type Samples = Int16Array | Int32Array | Float32Array

/** What was measured of a whole recording. Null is what cannot be told of it. */
export interface Analysis {
  /** LUFS, ITU-R BS.1770-5; null where no block of 400 ms is above -70. */
  integrated_lufs: number | null
  /** LU, EBU Tech 3342; null where no 3 seconds are above -70 LUFS. */
  loudness_range_lu: number | null
  /** dB true peak, ITU-R BS.1770-5 annex 2; null for digital silence. */
  true_peak_dbtp: number | null
  /** Null for digital silence. */
  sample_peak_dbfs: number | null
  /** Until the first sample of any channel at -60 dBFS or above. All of it where there is none. */
  leading_silence_seconds: number
  /** After the last such sample; 0 where there is none. */
  trailing_silence_seconds: number
  /** Samples in runs of at least three at full scale in a channel: what a single peak just touches does not count. */
  clipped_samples: number
  /** Mean of the channel where it is furthest from 0, without its sign; 1 is full scale. */
  dc_offset: number
  /** Beats a minute, estimated. */
  tempo_bpm: number | null
  /** 0-1. */
  tempo_confidence: number | null
  /** Estimated: 'C major', 'F# minor'; sharps throughout. */
  key: string | null
  /** 0-1. */
  key_confidence: number | null
}
