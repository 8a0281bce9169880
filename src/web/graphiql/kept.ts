/** What would let somebody else in, wherever it is written: in an operation, in its variables, in a header. */
const SECRET = /password|refreshToken|authorization|bearer\s/i

/** Keys that hold headers, or say that headers are kept. */
const HEADER_KEYS = new Set(['graphiql:headers', 'graphiql:shouldPersistHeaders'])

/** The parts of a browser's Storage that are needed. */
export interface Store {
  getItem: (key: string) => string | null
  setItem: (key: string, value: string) => void
  removeItem: (key: string) => void
}

/**
 * Storage for the editor's tabs, history and layout, without credentials: headers are never kept, nor is an operation
 * that carries a password. The editor's own setting covers the tabs alone; its history keeps headers all the same.
 * @param storage where it is kept, with a list of all keys
 */
export function createKept(storage: Store & { keys: () => string[] }) {
  const own = () => storage.keys().filter((key) => key.startsWith('graphiql:'))
  return {
    getItem: (key: string) => (HEADER_KEYS.has(key) ? null : storage.getItem(key)),
    setItem(key: string, value: string): void {
      const kept = HEADER_KEYS.has(key) ? null : withoutSecrets(value)
      if (kept === null) storage.removeItem(key)
      else storage.setItem(key, kept)
    },
    removeItem: (key: string) => storage.removeItem(key),
    clear(): void {
      for (const key of own()) storage.removeItem(key)
    },
    get length(): number {
      return own().length
    },
  }
}

/** The same text without headers and without operations that carry a secret; null where it still holds one. */
export function withoutSecrets(text: string): string | null {
  const kept = stripAll(text)
  return SECRET.test(kept) ? null : kept
}

function stripAll(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, (_, value) => (isOperation(value) ? stripped(value) : value)))
  } catch {
    return text
  }
}

interface Operation {
  query?: string | null
  variables?: string | null
}

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'query' in value

function stripped(operation: Operation): object {
  const { query, variables } = operation
  const isSecret = SECRET.test(query ?? '') || SECRET.test(variables ?? '')
  // Of a tab with a secret an empty one stays.
  const empty = { query: null, variables: null, operationName: null, title: '<untitled>', label: undefined }
  return { ...operation, headers: null, ...(isSecret && empty) }
}
