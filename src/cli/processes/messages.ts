/** A message between the supervisor and one of its processes. Requests have an id, which their answers repeat. */
export type Message =
  /** Of a process: all of its parts run. */
  | { kind: 'started' }
  /** Of a process: a mistake of the operator that ends it. */
  | { kind: 'failed'; message: string }
  /** Of the supervisor: shows that the event loop of a process turns. */
  | { kind: 'ping' }
  | { kind: 'pong' }
  /** Of the supervisor: the metrics of the process. Of a process: those of all. */
  | { kind: 'metrics-read'; id: string }
  | { kind: 'metrics'; id: string; text: string }

/** Variable that has the assignment of a process, as JSON. The supervisor sets it. */
export const ASSIGNMENT = 'TONEARM_PROCESS'

/** The share of one process. */
export interface Assignment {
  /** Unique among the processes of a supervisor, and the same after a restart: a label of metrics and logs. */
  name: string
  part: 'web' | 'worker'
  databaseUrl: string
}

/** Longest time to collect the metrics of all processes, in milliseconds. */
export const METRICS_MS = 3_000

/**
 * Reads metrics from another process.
 * @returns an empty text when it does not answer in time
 */
export function createMetricsRequests(timeoutMs: number) {
  const open = new Map<string, (text: string) => void>()
  return {
    /** @param send returns false if the process has ended */
    read: (send: (message: Message) => boolean): Promise<string> => {
      const id = crypto.randomUUID()
      const { promise, resolve } = Promise.withResolvers<string>()
      const timeout = setTimeout(() => end(''), timeoutMs)
      const end = (text: string) => {
        clearTimeout(timeout)
        open.delete(id)
        resolve(text)
      }
      open.set(id, end)
      if (!send({ kind: 'metrics-read', id })) end('')
      return promise
    },
    answer: ({ id, text }: { id: string; text: string }) => open.get(id)?.(text),
  }
}
