import { t, textOfCode } from '../strings.ts'

/** The page only sends requests to its own origin. */
export const GRAPHQL_URL = '/graphql'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** An error of the service, with its message. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

interface ErrorAnswer {
  errors?: { message: string; extensions?: { code?: string } }[]
}

/** Returns the first error of an answer, or null. */
export function findError(answer: unknown): ApiError | null {
  const first = ((answer ?? {}) as ErrorAnswer).errors?.[0]
  return first ? new ApiError(first.extensions?.code ?? 'invalid_input', first.message) : null
}

/** The text of an error for a person. */
export const formatError = (error: unknown): string => {
  if (error instanceof ApiError) return textOfCode('problem', error.code, error.message)
  return error instanceof Error ? error.message : String(error)
}

/** Sends one operation and returns the JSON of the answer. */
export async function post(body: object, headers: HeadersInit, fetch: Fetch): Promise<unknown> {
  const all = new Headers({ accept: 'application/json', 'content-type': 'application/json' })
  for (const [name, value] of new Headers(headers)) all.set(name, value)
  const request = { method: 'POST', headers: all, body: JSON.stringify(body) }
  const response = await fetch(GRAPHQL_URL, request).catch(() => {
    throw new ApiError('unreachable', t('session.unreachable'))
  })
  return response.json().catch(() => {
    // A proxy whose service is starting or stopping.
    const code = response.status >= 500 ? 'unavailable' : 'internal'
    throw new ApiError(code, `The server answered ${response.status} without JSON.`)
  })
}

export const bearer = (credential: string | null): Record<string, string> =>
  credential === null ? {} : { authorization: `Bearer ${credential}` }

/**
 * Runs an operation of the page itself.
 * @returns `data`
 * @throws ApiError with the first error of the answer
 */
export async function ask<Data>(
  fetch: Fetch,
  query: string,
  variables: Record<string, unknown> = {},
  credential: string | null = null,
): Promise<Data> {
  const answer = await post({ query, variables }, bearer(credential), fetch)
  const error = findError(answer)
  if (error) throw error
  return (answer as { data: Data }).data
}
