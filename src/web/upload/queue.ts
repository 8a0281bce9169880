import { t } from '../strings.ts'
import type { ChosenFile } from './files.ts'
import { createFollower, FIRST_WAIT_MS } from './follow.ts'
import type { UnfinishedUpload } from './memory.ts'
import { createPace } from './pace.ts'
import type { CreatedTrack, UploadService } from './service.ts'
import {
  classifyFailure,
  isDone,
  isOpen,
  isPausable,
  processed,
  type QueueState,
  toQueueState,
  type Upload,
} from './state.ts'

/** Files that are sent at once. */
export const MAX_SENDING = 3
/** Pause after a failure that may pass. It doubles with each failure in a row. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [1_000, 60_000]
/** Faults of the service in a row after which a file has failed, so that those behind it are sent. */
export const MAX_FAULTS = 5
/** Shortest time between two notifications of listeners. */
const NOTIFY_MS = 100

/** Place of new tracks. */
export interface Destination {
  /** ID of the collection, or of the upload session of a page. */
  id: string
  /** Returns the ID of the upload session for a new track. */
  openSession: () => Promise<string>
}

/** A file, and the track that takes it. Defaults to a new track. */
export type QueueFile = ChosenFile & { created?: CreatedTrack | null }

/**
 * Sends a picture as a cover.
 * @returns a function that waits until it is shown; false when its processing takes longer than usual
 */
export type SendPicture = (file: File, signal: AbortSignal) => Promise<() => Promise<boolean>>

interface Entry {
  upload: Upload
  file: File
  /** Of a recording. */
  destination: Destination | null
  /** Of a cover. */
  sendPicture: SendPicture | null
  created: CreatedTrack | null
  /** Whether the track was created before the file was added. It may have been used or deleted since. */
  isPrepared: boolean
  /** Milliseconds since 1970. */
  addedAt: number
  /** Faults of the service in a row. */
  faults: number
  /** Stops the current request. Null while no request runs. */
  stop: AbortController | null
}

/** Ends the turn of a file whose track is not to be created yet. */
class TurnLost extends Error {}

export type Queue = ReturnType<typeof createQueue>

/**
 * Sends files, a limited number at once, and follows their processing. While the service is away the files wait, and are
 * sent again after growing pauses. A file that it answers with a fault (500) is failed after MAX_FAULTS tries.
 * @param pace shortest times in milliseconds between notifications, before a state is read and before a file is sent
 *   again, which tests lower
 */
export function createQueue(
  service: UploadService,
  { notifyMs = NOTIFY_MS, firstWaitMs = FIRST_WAIT_MS, firstPauseMs = FIRST_PAUSE_MS } = {},
) {
  const entries = new Map<number, Entry>()
  const waiting = new Set<Entry>()
  const follower = createFollower(service.read, firstWaitMs)
  const listeners = new Set<() => void>()
  let [lastId, sending] = [0, 0]
  const pace = createPace()
  let state: QueueState = { ...toQueueState([]), secondsLeft: null }
  let isNotifying = false
  /** Failures that may pass, since a file was sent. */
  let failures = 0
  /** Ends the pause after such a failure. Null without one. */
  let pausing: ReturnType<typeof setTimeout> | null = null
  /** Ends with the latest creation of a track. */
  let creating: Promise<unknown> = Promise.resolve()

  function notify() {
    if (isNotifying) return
    isNotifying = true
    setTimeout(() => {
      isNotifying = false
      const next = toQueueState([...entries.values()].map(({ upload }) => upload))
      const isSending = next.counts.sending > 0
      if (!isSending) pace.reset()
      state = { ...next, secondsLeft: isSending ? pace.estimate(next.progress) : null }
      for (const listener of listeners) listener()
    }, notifyMs)
  }

  function change(entry: Entry, fields: Partial<Upload>) {
    entry.upload = { ...entry.upload, ...fields }
    notify()
  }

  function enqueue(entry: Entry) {
    entry.faults = 0
    change(entry, { phase: 'waiting', problem: null, isRetryable: false })
    waiting.add(entry)
    pump()
  }

  /** In the order of the files, which is that of their tracks. */
  const nextEntries = () => [...waiting].sort((a, b) => a.upload.id - b.upload.id)

  function pump() {
    if (pausing) return
    for (const entry of nextEntries()) {
      if (sending >= MAX_SENDING) return
      // The request of an earlier try is being stopped.
      if (entry.stop) continue
      waiting.delete(entry)
      void send(entry)
    }
  }

  /** Lets a file wait, and all others with it, because the cause is that of the service or of the connection. */
  function waitFor(entry: Entry, problem: string) {
    change(entry, { phase: 'waiting', problem, isRetryable: true })
    waiting.add(entry)
    // Files that were sent at the same time fail together.
    if (pausing) return
    pausing = setTimeout(endPause, Math.min(MAX_PAUSE_MS, firstPauseMs * 2 ** failures))
    failures++
  }

  function endPause() {
    if (pausing) clearTimeout(pausing)
    pausing = null
    pump()
  }

  /** Creates one track after the other: a collection shows them in the order of their creation. */
  function createInTurn({ destination, file }: Entry, signal: AbortSignal): Promise<CreatedTrack> {
    const created = creating.then(async () => {
      signal.throwIfAborted()
      if (!destination) throw new Error('a cover has no track')
      // The track before could not be created: this one follows it after the pause.
      if (pausing) throw new TurnLost()
      return service.create(await destination.openSession(), file)
    })
    creating = created.catch(() => {})
    return created
  }

  async function send(entry: Entry) {
    const stop = new AbortController()
    const { signal } = stop
    entry.stop = stop
    sending++
    change(entry, { phase: 'sending', problem: null, isRetryable: false })
    try {
      const follow = await (entry.sendPicture
        ? sendAsCover(entry, entry.sendPicture, signal)
        : sendRecording(entry, signal))
      failures = 0
      change(entry, { phase: 'processing', percent: 0 })
      follow()
    } catch (error) {
      if (error instanceof TurnLost) enqueue(entry)
      else if (!signal.aborted) fail(entry, error)
      else if (!entries.has(entry.upload.id)) discard(entry)
    } finally {
      sending--
      entry.stop = null
      pump()
    }
  }

  /** @returns a function that follows the processing */
  async function sendRecording(entry: Entry, signal: AbortSignal) {
    const created = entry.created ?? (await createInTurn(entry, signal))
    entry.created = created
    if (entry.upload.cover === 'closed') change(entry, { cover: 'open' })
    const onProgress = (sent: number, total: number) => {
      const percent = Math.floor((100 * sent) / total)
      if (percent !== entry.upload.percent) change(entry, { percent })
    }
    await service.send(entry.file, created.upload, { signal, onProgress })
    const onState = (track: Parameters<typeof processed>[0]) => change(entry, processed(track))
    return () => follower.follow(created.trackId, { sessionId: created.sessionId, onState })
  }

  /** @returns a function that follows the processing */
  async function sendAsCover(entry: Entry, sendPicture: SendPicture, signal: AbortSignal) {
    const untilShown = await sendPicture(entry.file, signal)
    return () =>
      void untilShown().then(
        (isShown) => change(entry, isShown ? { phase: 'ready' } : { phase: 'sent', problem: t('upload.coverLate') }),
        () => change(entry, { phase: 'sent', problem: t('upload.coverLate') }),
      )
  }

  function fail(entry: Entry, error: unknown) {
    const { problem, isPassing, isFault, isEnded } = classifyFailure(error)
    const failed = { phase: 'failed', problem, isRetryable: true } as const
    entry.faults = isFault ? entry.faults + 1 : 0
    if (entry.faults >= MAX_FAULTS) return change(entry, failed)
    if (isPassing) return waitFor(entry, problem)
    const isOfCreation = entry.created === null && entry.destination !== null
    entry.created = null
    if (entry.isPrepared) {
      entry.isPrepared = false
      enqueue(entry)
      return
    }
    change(entry, failed)
    if (!isOfCreation || !isEnded) return
    // A request for each file would be refused for the same reason.
    for (const other of waiting) {
      if (other.destination !== entry.destination || other.created) continue
      waiting.delete(other)
      change(other, failed)
    }
  }

  /** Frees the bytes of a removed file. A failure has no effect: the address expires. */
  function discard({ created }: Pick<Entry, 'created'>) {
    if (created) service.cancel(created.upload).catch(() => {})
  }

  function pause(entry: Entry) {
    if (!isPausable(entry.upload)) return
    waiting.delete(entry)
    change(entry, { phase: 'paused', problem: null, isRetryable: false })
    entry.stop?.abort(new Error('paused'))
  }

  function resume(entry: Entry) {
    if (entry.upload.phase === 'paused') enqueue(entry)
  }

  /** Removes a file. An upload that is not complete is cancelled. */
  function remove(entry: Entry) {
    entries.delete(entry.upload.id)
    waiting.delete(entry)
    if (entry.created) follower.forget(entry.created.trackId)
    if (entry.stop) entry.stop.abort(new Error('cancelled'))
    else if (isOpen(entry.upload)) discard(entry)
    notify()
  }

  async function sendCover(entry: Entry, file: File) {
    if (!entry.created) return
    change(entry, { cover: 'sending', problem: null })
    try {
      await service.sendCover(file, entry.created.coverUpload)
      change(entry, { cover: 'sent' })
    } catch (error) {
      change(entry, { cover: 'open', problem: classifyFailure(error).problem })
    }
  }

  function insert({ file, ...names }: ChosenFile & Pick<Upload, 'kind'>, fields: Partial<Entry>) {
    const begin = { phase: 'waiting', percent: 0, problem: null, isRetryable: false, cover: 'closed' } as const
    const upload: Upload = { id: ++lastId, ...names, bytes: file.size, ...begin }
    const source = { destination: null, sendPicture: null, created: null, isPrepared: false, addedAt: Date.now() }
    const entry: Entry = { upload, file, ...source, faults: 0, stop: null, ...fields }
    entries.set(upload.id, entry)
    waiting.add(entry)
    notify()
  }

  const byId = (use: (entry: Entry) => void) => (id: number) => {
    const entry = entries.get(id)
    if (entry) use(entry)
  }
  const forAll = (use: (entry: Entry) => void, isMeant: (entry: Entry) => boolean) => () => {
    for (const entry of [...entries.values()].filter(isMeant)) use(entry)
  }

  return {
    read: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    /** Adds files at the end. */
    add(files: readonly QueueFile[], destination: Destination) {
      for (const { file, name, created = null } of files) {
        insert({ kind: 'recording', name, file }, { destination, created, isPrepared: created !== null })
      }
      pump()
    },

    /** Returns the recordings whose bytes have not all arrived. */
    listUnfinished(): UnfinishedUpload[] {
      return [...entries.values()].flatMap(({ upload, file, destination, created, addedAt }) => {
        if (!destination || !(isPausable(upload) || upload.phase === 'paused')) return []
        const { name: fileName, size: bytes, lastModified } = file
        return { destinationId: destination.id, fileName, bytes, lastModified, addedAt, created }
      })
    },

    /** Ends uploads that are not continued. */
    discard: (uploads: readonly Pick<UnfinishedUpload, 'created'>[]) => uploads.forEach(discard),

    /** Adds the cover of a collection. */
    addCover({ file, name }: ChosenFile, sendPicture: SendPicture) {
      insert({ kind: 'cover', name, file }, { sendPicture })
      pump()
    },

    pause: byId(pause),
    resume: byId(resume),
    retry: byId((entry) => {
      if (!entry.upload.isRetryable) return
      enqueue(entry)
      endPause()
    }),
    remove: byId(remove),
    sendCover: (id: number, file: File) => byId((entry) => void sendCover(entry, file))(id),

    pauseAll: forAll(pause, ({ upload }) => isPausable(upload)),
    resumeAll: forAll(resume, ({ upload }) => upload.phase === 'paused'),
    /** Removes the files that are done. */
    clear: forAll(remove, ({ upload }) => isDone(upload)),
    /** Removes the files that are done or failed. */
    dismiss: forAll(remove, ({ upload }) => isDone(upload) || upload.phase === 'failed'),
    /** Sends the failed files again. */
    retryAll: forAll(enqueue, ({ upload }) => upload.phase === 'failed' && upload.isRetryable),
    /** Sends waiting files at once. Called when the browser is online again. */
    reconnect: endPause,
  }
}
