import type { Store } from '../session/session.ts'

/** Marks of credentials in an operation, its variables or a header. */
const SECRET = /password|refreshToken|authorization|bearer\s/i

/** Storage keys of headers, and of the setting that stores headers. */
const HEADER_KEYS = new Set(['graphiql:headers', 'graphiql:shouldPersistHeaders'])

/**
 * Creates the storage of the editor's tabs, history and layout, without credentials: headers and operations that
 * contain a password are never stored. The editor's own setting only covers tabs; its history would still store
 * headers.
 * @param storage backing storage, with a list of all keys
 */
export function createKept(storage: Store & { keys: () => string[] }) {
  const listEditorKeys = () => storage.keys().filter((key) => key.startsWith('graphiql:'))
  return {
    getItem: (key: string) => (HEADER_KEYS.has(key) ? null : storage.getItem(key)),
    setItem(key: string, value: string): void {
      const safeValue = HEADER_KEYS.has(key) ? null : withoutSecrets(value)
      if (safeValue === null) storage.removeItem(key)
      else storage.setItem(key, safeValue)
    },
    removeItem: (key: string) => storage.removeItem(key),
    clear(): void {
      for (const key of listEditorKeys()) storage.removeItem(key)
    },
    get length(): number {
      return listEditorKeys().length
    },
  }
}

/** Removes headers and operations with a secret. Returns null if the text still contains one. */
export function withoutSecrets(text: string): string | null {
  const safeText = stripAll(text)
  return SECRET.test(safeText) ? null : safeText
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
  // A tab with a secret is replaced by an empty one.
  const empty = { query: null, variables: null, operationName: null, title: '<untitled>', label: undefined }
  return { ...operation, headers: null, ...(isSecret && empty) }
}
