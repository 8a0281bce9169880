import type { EndedProcess } from '../ffmpeg/spawn.ts'
import type { Tools } from '../ffmpeg/tools.ts'
import type { Quality, SoundAnalysis } from '../meter/sound.ts'

/** Input of the engine's process, as JSON on its standard input. */
export interface EngineOrder {
  tools: Tools
  /** Working directory of its programs. */
  folder: string
  /** The decoding ffmpeg, which writes WAV to standard output. */
  decoder: Command
  /** The encoding ones, which read WAV from standard input. */
  encoders: readonly Command[]
  splits: readonly Split[]
  isMetered: boolean
  /** Wall time of the whole order, in milliseconds. */
  timeoutMs: number
  /** Length of the sound after which all programs are ended, in seconds. */
  maxSeconds: number
}

/** A run of ffmpeg. */
export interface Command {
  args: readonly string[]
  /** Maximum size of a written file, in bytes. */
  maxFileBytes: number
}

/** An AAC file that several programs encode. */
export interface Split {
  /** Number of programs, at least 2. */
  programs: number
  /** Arguments of each, which reads WAV from standard input and writes ADTS to standard output. */
  encoder: readonly string[]
  /** The ffmpeg that reads the joined ADTS from standard input and writes the file. */
  muxer: Command
}

/** Result of an order. */
export interface Report {
  decoder: EndedProcess
  /** In the order of `encoders`. */
  encoders: EndedProcess[]
  /** In the order of `splits`: the first program that failed, else the muxer. */
  splits: EndedProcess[]
  /** Decoded length. */
  durationSeconds: number
  /** Whether the sound is longer than the order allows. The programs were ended. */
  isTooLong: boolean
  /** Both are null unless requested, or when no sound was decoded. */
  analysis: SoundAnalysis | null
  quality: Quality | null
}

/** A line of the engine's output: progress, and finally the report. */
export type Line = { seconds: number } | { report: Report }
