import { type CreatedTrack, MAX_READ, type UploadService } from './service.ts'

/** Uploads that are remembered. Files after them are uploaded as new ones. */
export const MAX_REMEMBERED = 1000
/** The longest life of an upload session and of an upload that has begun. */
export const REMEMBERED_MS = 24 * 3_600_000
const PREFIX = 'tonearm.uploads'

/** An upload whose bytes have not all arrived. */
export interface UnfinishedUpload {
  /** Of the destination of the queue. */
  destinationId: string
  fileName: string
  bytes: number
  /** Milliseconds since 1970, as is `addedAt`. */
  lastModified: number
  addedAt: number
  /** Null for a file that waits for its track. */
  created: CreatedTrack | null
}

/** The parts of a browser that remember uploads. */
export interface MemoryBrowser {
  store: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  /** Returns the names of the store's items. */
  keys: () => string[]
  /** Undefined where the page is not secure: then the uploads of other tabs count as interrupted. */
  locks: Pick<LockManager, 'request'> | undefined
  createId: () => string
  now: () => number
}

export const getMemoryBrowser = (): MemoryBrowser => ({
  store: localStorage,
  keys: () => Object.keys(localStorage),
  locks: navigator.locks,
  createId: () => crypto.getRandomValues(new Uint32Array(2)).join('-'),
  now: Date.now,
})

export type UploadMemory = ReturnType<typeof createMemory>

/**
 * Remembers the unfinished uploads of this tab, and takes over those of tabs that were reloaded or closed. Each tab has an
 * item of its own in the browser's storage, and a lock that ends with the tab. The addresses in it expire with their upload
 * sessions.
 * @param scope uploads of other scopes are not seen: an organization
 */
export function createMemory(scope: string, read: UploadService['read'], browser: MemoryBrowser = getMemoryBrowser()) {
  const { store, locks } = browser
  const prefix = `${PREFIX}.${scope}.`
  const ownKey = prefix + browser.createId()
  const stop = new AbortController()
  const listeners = new Set<() => void>()
  let unfinished: readonly UnfinishedUpload[] = []
  let interrupted: readonly UnfinishedUpload[] = []
  /** Interrupted ones that are being checked. */
  let unchecked: readonly UnfinishedUpload[] = []
  let storedText: string | null = null

  function write() {
    if (stop.signal.aborted) return
    const all = [...unfinished, ...interrupted, ...unchecked].slice(0, MAX_REMEMBERED)
    const text = all.length === 0 ? null : JSON.stringify(all)
    if (text === storedText) return
    storedText = text
    try {
      if (text === null) store.removeItem(ownKey)
      else store.setItem(ownKey, text)
    } catch {
      // The storage is full: after a reload these files are uploaded as new ones.
    }
  }

  function setInterrupted(next: readonly UnfinishedUpload[]) {
    interrupted = next
    write()
    for (const listener of listeners) listener()
  }

  /** Takes over the uploads of a tab that has ended. */
  async function adopt(key: string) {
    const uploads = parse(store.getItem(key)).filter(({ addedAt }) => browser.now() - addedAt < REMEMBERED_MS)
    unchecked = [...unchecked, ...uploads]
    write()
    store.removeItem(key)
    const continuable = await filterContinuable(uploads, read)
    unchecked = unchecked.filter((upload) => !uploads.includes(upload))
    setInterrupted([...interrupted, ...continuable])
  }

  async function start() {
    const otherKeys = browser.keys().filter((key) => key.startsWith(prefix) && key !== ownKey)
    // Kept until the tab ends.
    void locks?.request(ownKey, () => new Promise<void>((end) => stop.signal.addEventListener('abort', () => end())))
    await Promise.all(
      otherKeys.map((key) =>
        locks
          ? // Waits for the end of the tab. Refused after the end of this memory.
            locks.request(key, { signal: stop.signal }, () => adopt(key)).catch(() => {})
          : adopt(key),
      ),
    )
  }

  return {
    start,
    /** The uploads of tabs that were reloaded or closed. */
    read: () => interrupted,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** Remembers the unfinished uploads of this tab in place of those before. */
    remember(uploads: readonly UnfinishedUpload[]) {
      unfinished = uploads
      write()
    },
    /**
     * Returns the interrupted upload of a file, which is continued, and forgets it.
     * @param destinationId null for any
     */
    take(file: Pick<File, 'name' | 'size' | 'lastModified'>, destinationId: string | null): UnfinishedUpload | null {
      const match = interrupted.find(
        (upload) =>
          upload.fileName === file.name &&
          upload.bytes === file.size &&
          upload.lastModified === file.lastModified &&
          (destinationId === null || upload.destinationId === destinationId),
      )
      if (match) setInterrupted(interrupted.filter((upload) => upload !== match))
      return match ?? null
    },
    /** Forgets the interrupted uploads. @returns them */
    dismiss(): readonly UnfinishedUpload[] {
      const dismissed = interrupted
      setInterrupted([])
      return dismissed
    },
    /** Forgets all uploads, and remembers no more. Called at the end of the session. */
    end() {
      stop.abort()
      store.removeItem(ownKey)
    },
  }
}

/** A queue, as far as it is remembered. */
interface RememberedQueue {
  listUnfinished: () => UnfinishedUpload[]
  subscribe: (listener: () => void) => () => void
}

/** Remembers what a queue has not sent, until the page is closed. @returns a function that ends it */
export function rememberQueue(memory: UploadMemory, queue: RememberedQueue): () => void {
  const remember = () => memory.remember(queue.listUnfinished())
  void memory.start()
  const unsubscribe = queue.subscribe(remember)
  addEventListener('pagehide', remember)
  return () => {
    unsubscribe()
    removeEventListener('pagehide', remember)
  }
}

function parse(text: string | null): UnfinishedUpload[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/**
 * Leaves out uploads that have arrived, whose track was deleted, or whose upload session has ended. After any other failure
 * the service decides when the upload is continued.
 */
async function filterContinuable(uploads: readonly UnfinishedUpload[], read: UploadService['read']) {
  const endedTracks = new Set<string>()
  const tracks = uploads.flatMap(({ created }) => created ?? [])
  for (const sessionId of new Set(tracks.map((track) => track.sessionId))) {
    const all = tracks.filter((track) => track.sessionId === sessionId).map(({ trackId }) => trackId)
    for (let at = 0; at < all.length; at += MAX_READ) {
      const ids = all.slice(at, at + MAX_READ)
      const states = await read(sessionId, ids).catch(({ status }) => (status === 404 || status === 410 ? [] : null))
      if (!states) continue
      const open = new Set(states.filter(({ status }) => status === 'initialized').map(({ id }) => id))
      for (const id of ids) if (!open.has(id)) endedTracks.add(id)
    }
  }
  return uploads.filter(({ created }) => created === null || !endedTracks.has(created.trackId))
}
