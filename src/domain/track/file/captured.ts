import type { Span } from '../../../platform/media/trim.ts'

interface Captured {
  capture_start?: number
  capture_end?: number
}

/**
 * The part of the recording that a file contains: of a preview by its `data`, of a transcode without silence by its
 * `props`. Null for the whole recording.
 */
export function capturedSpan({ data, props }: { data?: unknown; props?: unknown }): Span | null {
  const { capture_start: start, capture_end: end } = { ...(props as Captured), ...(data as Captured | null) }
  return start === undefined || end === undefined ? null : { startSeconds: start, durationSeconds: end - start }
}
