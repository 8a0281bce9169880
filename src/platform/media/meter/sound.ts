/** Format of the samples that a meter receives. */
export interface SoundFormat {
  /** In Hz. */
  sampleRate: number
  channels: number
  /** WAVE speaker mask (SPEAKER_FRONT_LEFT=1, ...). 0 if unknown. */
  channelMask: number
}

/** Interleaved. Full scale is the integer range, or 1 for floats. */
export type Samples = Int16Array | Int32Array | Float32Array

/** Measurements of a whole recording. Null for values that cannot be determined. */
export interface Analysis {
  /** LUFS, ITU-R BS.1770-5. Null when no block of 400 ms exceeds -70 LUFS. */
  integrated_lufs: number | null
  /** LU, EBU Tech 3342. Null when no 3 seconds exceed -70 LUFS. */
  loudness_range_lu: number | null
  /** dB true peak, ITU-R BS.1770-5 annex 2. Null for digital silence. */
  true_peak_dbtp: number | null
  /** Null for digital silence. */
  sample_peak_dbfs: number | null
  /** Until the first sample of any channel at -60 dBFS or above. The whole length without such a sample. */
  leading_silence_seconds: number
  /** After the last such sample. 0 without one. */
  trailing_silence_seconds: number
  /** Samples in runs of at least three at full scale in a channel. Shorter runs do not count. */
  clipped_samples: number
  /** Absolute mean of the channel with the largest one. 1 is full scale. */
  dc_offset: number
  /** Beats per minute, estimated. */
  tempo_bpm: number | null
  /** 0-1. */
  tempo_confidence: number | null
  /** Estimated, such as 'C major' or 'F# minor'. Always with sharps. */
  key: string | null
  /** 0-1. */
  key_confidence: number | null
}
