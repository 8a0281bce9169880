import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../config.ts'
import { AppError } from '../errors.ts'

/**
 * Maximum number of operations that clients have registered by hash. In memory only: a client that gets `not found`
 * sends the text again.
 */
const MAX_TEXTS = 1000
const MAX_TEXT_LENGTH = 65_536
const MAX_LENGTH = 16 << 20

/** Formats of graphql-codegen and Relay, and of Apollo. */
const manifestForm = z.union([
  z.object({
    format: z.literal('apollo-persisted-query-manifest'),
    operations: z.array(z.object({ id: z.string().min(1), body: z.string().min(1) })),
  }),
  z.record(z.string().min(1), z.string().min(1)),
])

/**
 * Reads the configured operations, by hash.
 * @throws OperatorError when the file cannot be read or has another format
 */
export function readManifest(path: string | undefined): Map<string, string> {
  if (!path) return new Map()
  try {
    const manifest = manifestForm.parse(JSON.parse(readFileSync(path, 'utf8')))
    if (!Array.isArray(manifest.operations)) return new Map(Object.entries(manifest as Record<string, string>))
    return new Map(manifest.operations.map(({ id, body }) => [id, body]))
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'must be a JSON object of operations by their hashes' : String(error)
    throw new OperatorError(`GRAPHQL_PERSISTED_FILE: ${reason}`)
  }
}

/** Codes and messages that client libraries expect (Apollo's automatic persisted queries). */
const persistedError = (message: string, code: string) => new GraphQLError(message, { extensions: { code } })
const notFound = () => persistedError('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND')
const mismatch = () => persistedError('PersistedQueryMismatch', 'PERSISTED_QUERY_MISMATCH')
const notSupported = () => persistedError('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED')
const notListed = () => new AppError('forbidden', 'query: only the operations in the manifest may be run')

/**
 * Resolves operations by hash: those of the manifest, and in mode `allow` those that a client has registered.
 * @param ownOperations texts that are accepted in mode `only` too: those of the service's own pages and of the tools of agents
 */
export function persistedPlugin(
  { graphqlPersisted: mode, graphqlPersistedFile }: Config,
  ownOperations: readonly string[],
): Plugin {
  const manifest = readManifest(graphqlPersistedFile)
  const listed = new Set([...manifest.values(), ...ownOperations])
  const recent = new LRUCache<string, string>({
    max: MAX_TEXTS,
    maxSize: MAX_LENGTH,
    maxEntrySize: MAX_TEXT_LENGTH,
    sizeCalculation: (text) => text.length,
  })

  /** Returns the operation of a hash. */
  function find(hash: string | undefined): string {
    if (mode === 'off') throw notSupported()
    const text = manifest.get(hash ?? '') ?? (mode === 'allow' ? recent.get(hash ?? '') : undefined)
    if (text === undefined) throw mode === 'only' ? notListed() : notFound()
    return text
  }

  /** Registers an operation that was sent with its hash. */
  function keep(hash: string, text: string): void {
    if (mode === 'off' || manifest.get(hash) === text) return
    if (createHash('sha256').update(text).digest('hex') !== hash) throw mismatch()
    recent.set(hash, text)
  }

  return {
    onParams({ params, setParams }) {
      const hash = readHash(params)
      const query: unknown = params?.query
      if (typeof query === 'string' && query !== '') {
        if (mode === 'only' && !listed.has(query)) throw notListed()
        if (hash !== undefined) keep(hash, query)
      } else if (hash !== undefined || mode === 'only') {
        setParams({ ...params, query: find(hash) })
      }
    },
  }
}

/** `extensions.persistedQuery` of version 1, or `documentId` (GraphQL over HTTP, persisted documents). */
function readHash(params: unknown): string | undefined {
  const { extensions, documentId } = (params ?? {}) as {
    extensions?: { persistedQuery?: unknown }
    documentId?: unknown
  }
  if (typeof documentId === 'string') return documentId.replace(/^sha256:/, '')
  const { version, sha256Hash } = (extensions?.persistedQuery ?? {}) as { version?: unknown; sha256Hash?: unknown }
  return version === 1 && typeof sha256Hash === 'string' ? sha256Hash : undefined
}
