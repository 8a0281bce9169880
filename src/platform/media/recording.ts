import type { Probe } from './probe.ts'

/** An untrusted recording on the local disk. */
export interface MediaRecording {
  file: string
  probe: Probe
  /** Folder for the results. */
  folder: string
  signal?: AbortSignal
}
