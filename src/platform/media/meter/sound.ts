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
export interface SoundAnalysis {
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

/** Figures from which `qualityReport` follows. Null for values that cannot be determined. */
export interface Quality {
  /** Correlation of the two channels: 1 for mono, 0 for unrelated, -1 for opposite. Null unless stereo. */
  phase_correlation: number | null
  /** The lowest of 3 seconds that are not soft, and their start. */
  lowest_phase_correlation: number | null
  lowest_phase_correlation_at_seconds: number | null
  /** dB that the sound loses when both channels are added, relative to identical channels. */
  mono_loss_db: number | null
  /** Level of the left channel above the right one, -120 to 120. */
  balance_db: number | null
  /** dBFS of the softest 50 ms that are not digital silence, to half a dB. */
  noise_floor_dbfs: number | null
  /** Seconds that are at most 3 dB louder than that. */
  noise_floor_seconds: number | null
  /** The longest silence between two sounds, and its start. */
  longest_pause_seconds: number | null
  longest_pause_at_seconds: number | null
  /** Frequency in Hz above which there is nothing. Null when the spectrum does not end abruptly. */
  cutoff_hz: number | null
  /** Where clipping begins, at full scale or else at the peak of the recording: the first ten places, a second apart. */
  clipped_at_seconds: number[]
}
