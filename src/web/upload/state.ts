import { formatReason, t, textOfCode } from '../strings.ts'
import type { Followed } from './follow.ts'

/**
 * - `waiting`: for its turn, or with a problem for another try
 * - `sent`: the upload session has ended, so that the state of the processing is not known
 */
export type Phase = 'waiting' | 'sending' | 'paused' | 'processing' | 'ready' | 'sent' | 'failed'

/** A file of the queue, as it is shown. */
export interface Upload {
  id: number
  /** A new recording, or the cover of a collection. */
  kind: 'recording' | 'cover'
  name: string
  bytes: number
  phase: Phase
  /** Of the bytes while they are sent, then of the processing. 0 to 100. */
  percent: number
  /** Why it failed, or why it waits. Null without a reason. */
  problem: string | null
  /** Whether another try may succeed after a failure. */
  isRetryable: boolean
  cover: 'closed' | 'open' | 'sending' | 'sent'
}

/** Bytes of the files that did not fail. */
export interface Progress {
  sentBytes: number
  totalBytes: number
}

export interface QueueState {
  uploads: readonly Upload[]
  counts: Record<Phase, number>
  progress: Progress
  /** Until the bytes are sent. Null while that cannot be estimated. */
  secondsLeft: number | null
}

export function toQueueState(uploads: readonly Upload[]): Omit<QueueState, 'secondsLeft'> {
  const counts = { waiting: 0, sending: 0, paused: 0, processing: 0, ready: 0, sent: 0, failed: 0 }
  const progress = { sentBytes: 0, totalBytes: 0 }
  for (const { phase, bytes, percent } of uploads) {
    counts[phase]++
    if (phase === 'failed') continue
    const isSent = phase === 'processing' || phase === 'ready' || phase === 'sent'
    progress.sentBytes += isSent ? bytes : (bytes * percent) / 100
    progress.totalBytes += bytes
  }
  return { uploads, counts, progress }
}

/**
 * Returns the stage of a queue as a whole: it sends, waits for a person who paused it, waits for the processing, or has
 * ended. Failed files have ended.
 */
export function findStage({ counts }: Pick<QueueState, 'counts'>): 'sending' | 'paused' | 'processing' | 'ended' {
  if (counts.waiting + counts.sending > 0) return 'sending'
  if (counts.paused > 0) return 'paused'
  return counts.processing > 0 ? 'processing' : 'ended'
}

export const isPausable = ({ phase }: Upload) => phase === 'waiting' || phase === 'sending'
export const isDone = ({ phase }: Upload) => phase === 'ready' || phase === 'sent'
/** Whether bytes of the file may be missing in the service. */
export const isOpen = (upload: Upload) => isPausable(upload) || upload.phase === 'paused' || upload.isRetryable

/** Whether leaving the page ends uploads. */
export const isBusy = ({ counts }: QueueState) => counts.waiting + counts.sending + counts.paused > 0

/** Rows in the document. A page with thousands of them would respond slowly. */
const MAX_ROWS = 100

/** Failed files and those in progress are more important than those that wait or are done. */
const importance = ({ phase }: Upload) =>
  ['failed', 'sending', 'processing', 'paused', 'waiting', 'sent', 'ready'].indexOf(phase)

/** The files to show, in their order. */
export function selectRows(uploads: readonly Upload[]): readonly Upload[] {
  if (uploads.length <= MAX_ROWS) return uploads
  const visibleUploads = new Set(uploads.toSorted((a, b) => importance(a) - importance(b)).slice(0, MAX_ROWS))
  return uploads.filter((upload) => visibleUploads.has(upload))
}

/**
 * The places of files that wait, by their ID: for their turn to be sent, or to be processed after those of this page that
 * are being processed. The first place is 1.
 */
export function findPlaces(uploads: readonly Upload[]): ReadonlyMap<number, number> {
  const places = new Map<number, number>()
  let [waiting, processing] = [0, uploads.filter(isBeingProcessed).length]
  for (const { id, kind, phase, percent } of uploads) {
    if (phase === 'waiting') places.set(id, ++waiting)
    // Covers have another queue.
    else if (phase === 'processing' && percent === 0 && kind === 'recording') places.set(id, ++processing)
  }
  return places
}

const isBeingProcessed = ({ phase, percent }: Upload) => phase === 'processing' && percent > 0

/** Fields of a file by the state of its track. */
export function processed(track: Followed): Partial<Upload> {
  if (track === 'unknown') return { phase: 'sent' }
  if (track === null) return { phase: 'failed', problem: t('upload.deleted') }
  const { status, progressPercent } = track
  const problem = formatReason(track)
  if (status === 'ready' || status === 'incomplete') return { phase: 'ready', percent: 100, problem }
  if (status === 'error' || status === 'init_error')
    return { phase: 'failed', problem: problem ?? t('upload.unusable') }
  return { percent: progressPercent, problem }
}

const hasCode = (error: unknown): error is Error & { code: string; status?: number } =>
  typeof (error as { code?: unknown }).code === 'string'

/** Refusals whose cause passes, so that the same address takes the file later. */
const passing = [
  'internal',
  'rate_limited',
  'timeout',
  'unavailable',
  'unreachable',
  'upload_in_use',
  'upload_offset_mismatch',
]

/** Sorts a failure by its effect on further tries: one that passes is tried again without a person. */
export function classifyFailure(error: unknown) {
  const isDisconnected = !hasCode(error)
  return {
    isPassing: isDisconnected || (error.status ?? 0) >= 500 || passing.includes(error.code),
    /** Whether the service has met an error of its own, which may be caused by this file. */
    isFault: !isDisconnected && error.code === 'internal',
    /** Whether the upload session takes no track any more. */
    isEnded: !isDisconnected && (error.code === 'expired' || error.code === 'not_found'),
    problem: isDisconnected ? t('upload.disconnected') : textOfCode('problem', error.code, error.message),
  }
}
