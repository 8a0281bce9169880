import { useSyncExternalStore } from 'react'
import { sendFile, type UploadTarget } from '../../../client/upload.ts'
import { classifyFailure } from '../../upload/state.ts'

/** A recording that this page sends. It is sent on while a person opens other parts of the studio. */
export interface RecordingUpload {
  percent: number
  /** Why it was not sent. Null while it is. */
  problem: string | null
  stop: () => void
}

const uploads = new Map<string, RecordingUpload>()
const listeners = new Set<() => void>()

function change(trackId: string, upload: RecordingUpload | null) {
  if (upload) uploads.set(trackId, upload)
  else uploads.delete(trackId)
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The new recording of a track that this page sends, or could not send. Null without one. */
export const useRecordingUpload = (trackId: string) =>
  useSyncExternalStore(subscribe, () => uploads.get(trackId) ?? null)

/**
 * Sends the new recording of a track. Replaces one that is being sent.
 * @param begin returns the address that takes it. When it fails, the caller shows why
 */
export async function sendRecording(trackId: string, file: File, begin: () => Promise<UploadTarget>): Promise<void> {
  stopRecording(trackId)
  const controller = new AbortController()
  const { signal } = controller
  const stop = () => controller.abort(new Error('cancelled'))
  change(trackId, { percent: 0, problem: null, stop })
  const onProgress = (sent: number, total: number) => {
    const percent = Math.floor((100 * sent) / Math.max(1, total))
    if (!signal.aborted && percent !== uploads.get(trackId)?.percent) change(trackId, { percent, problem: null, stop })
  }
  const target = await begin().catch(() => null)
  if (signal.aborted) return
  if (!target) return change(trackId, null)
  try {
    await sendFile(file, target, { signal, onProgress })
    if (!signal.aborted) change(trackId, null)
  } catch (error) {
    if (!signal.aborted) change(trackId, { percent: 0, problem: classifyFailure(error).problem, stop })
  }
}

/** Stops sending the new recording of a track, and forgets why it was not sent. */
export function stopRecording(trackId: string): void {
  uploads.get(trackId)?.stop()
  change(trackId, null)
}
