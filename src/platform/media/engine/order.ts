import type { Ended } from '../ffmpeg/spawn.ts'
import type { Tools } from '../ffmpeg/tools.ts'
import type { Analysis } from '../meter/sound.ts'

/** What the engine's process is told, as JSON on its standard input. */
export interface Order {
  tools: Tools
  /** Where its programs run. */
  folder: string
  /** Arguments of the ffmpeg that decodes: it writes WAV to its standard output. */
  decoder: readonly string[]
  /** Arguments of each ffmpeg that encodes: it reads that WAV from its standard input. */
  encoders: readonly (readonly string[])[]
  isMetered: boolean
  /** Wall time for all of it. */
  timeoutMs: number
}

/** What became of an order. */
export interface Report {
  decoder: Ended
  /** As they stand in the order. */
  encoders: Ended[]
  /** What was decoded. */
  durationSeconds: number
  /** Null where it was not asked for, or nothing was decoded. */
  analysis: Analysis | null
}

/** A line of what the engine's process says: how far it is, now and then, and at last its report. */
export type Line = { seconds: number } | { report: Report }
