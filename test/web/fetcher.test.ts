import { expect, test } from 'bun:test'
import { createFetcher } from '../../src/web/graphiql/fetcher.ts'
import { createSession } from '../../src/web/session/session.ts'
import { createTransport } from '../../src/web/session/transport.ts'
import { createBrowser, createServer } from './server.ts'

async function signedIn() {
  const server = createServer()
  const session = createSession(createBrowser(server.fetch).open())
  await session.signIn('admin@example.com', 'right')
  const fetcher = createFetcher(createTransport(session, server.fetch))
  /** Answers as the editor reads them: one result. */
  const run = async (query: string, headers: Record<string, string> = {}, operationName?: string) =>
    (await fetcher({ query, operationName }, { headers })) as {
      data?: unknown
      errors?: { extensions: { code: string } }[]
    }
  return { server, session, fetcher, run }
}

interface Observer {
  next: (result: unknown) => void
  error: (error: unknown) => void
  complete: () => void
}
interface Stream {
  subscribe: (observer: Observer) => { unsubscribe: () => void }
}

test('sends a query with the session`s credential', async () => {
  const { run } = await signedIn()
  expect(await run('{ viewer { __typename } }')).toEqual({ data: { viewer: { __typename: 'Administrator' } } })
})

test('a mutation is run only when that is allowed; a query is not asked about', async () => {
  const { session, server } = await signedIn()
  const askedQueries: string[] = []
  const run = (mayWrite: boolean, query: string) =>
    createFetcher(createTransport(session, server.fetch), async ({ query }) => {
      askedQueries.push(query)
      return mayWrite
    })({ query }, { headers: { authorization: 'Bearer a-key' } })
  const mutation = 'mutation { signIn(email: "a", password: "right") { token } }'
  expect(await run(false, mutation)).toEqual({ errors: [{ message: 'The operation was not run.' }] })
  expect(await run(true, mutation)).toEqual({ data: { signIn: { token: 'token-2' } } })
  expect(askedQueries).toEqual([mutation, mutation])
  expect(await run(false, '{ viewer { __typename } }')).toHaveProperty('data')
  expect(askedQueries).toHaveLength(2)
})

test('an Authorization header of the editor takes precedence, and its rejection does not end the session', async () => {
  const { run, session } = await signedIn()
  expect(await run('{ viewer { __typename } }', { Authorization: 'Bearer a-key' })).toEqual({
    data: { viewer: { __typename: 'KeyViewer' } },
  })
  expect((await run('{ secret }', { Authorization: 'Bearer wrong' })).errors?.[0]?.extensions.code).toBe(
    'unauthenticated',
  )
  expect(session.read().session).not.toBe(null)
})

test('a rejected token is renewed, and the request sent once more', async () => {
  const { run, server } = await signedIn()
  server.expire()
  expect(await run('{ secret }')).toEqual({ data: { secret: 'told' } })
  expect(server.log.filter((name) => name === 'secret').length).toBe(2)
})

test('a rejected token that cannot be renewed ends the session, and the answer has the reason', async () => {
  const { run, session, server } = await signedIn()
  server.expire()
  server.state.isRefreshRefused = true
  expect((await run('{ secret }')).errors?.[0]?.extensions.code).toBe('unauthenticated')
  expect(session.read().notice).toContain('session has ended')
})

test('an error other than of the credential does not end the session', async () => {
  const { run, session } = await signedIn()
  await run('mutation Try { signIn(email: "admin@example.com", password: "wrong") { token } }')
  expect(session.read().session).not.toBe(null)
})

test('the operation name of another tab is dropped if there is only one operation', async () => {
  const { run } = await signedIn()
  expect(await run('query Mine { secret }', {}, 'Theirs')).toEqual({ data: { secret: 'told' } })
  const both = 'query A { secret } query B { viewer { __typename } }'
  expect(await run(both, {}, 'A')).toEqual({ data: { secret: 'told' } })
})

test('invalid GraphQL is sent to the server, which rejects it', async () => {
  const { run } = await signedIn()
  expect(await run('query {')).toHaveProperty('errors')
})

test('a subscription streams its results (GraphQL over Server-Sent Events)', async () => {
  const { fetcher } = await signedIn()
  const stream = (await fetcher({ query: 'subscription Count { count(to: 3) }' })) as unknown as Stream
  const results: unknown[] = []
  await new Promise<void>((resolve, reject) => {
    stream.subscribe({ next: (result) => results.push(result), error: reject, complete: resolve })
  })
  expect(results).toEqual([1, 2, 3].map((count) => ({ data: { count } })))
})

test('stopping a subscription ends it on the server', async () => {
  const { fetcher, server } = await signedIn()
  const stream = (await fetcher({ query: 'subscription Count { count(to: 11) }' })) as unknown as Stream
  const eleven = Promise.withResolvers<void>()
  let count = 0
  const { unsubscribe } = stream.subscribe({
    next: () => {
      count += 1
      if (count === 11) eleven.resolve()
    },
    error: eleven.reject,
    complete: () => {},
  })
  await eleven.promise
  unsubscribe()
  expect([count, server.state.signal?.aborted]).toEqual([11, true])
})

test('a subscription with a rejected credential ends the session', async () => {
  const { fetcher, session, server } = await signedIn()
  server.expire()
  server.state.isRefreshRefused = true
  const stream = (await fetcher({ query: 'subscription Count { count(to: 3) }' })) as unknown as Stream
  const error = await new Promise((resolve) => {
    stream.subscribe({ next: () => {}, error: resolve, complete: () => {} })
  })
  expect(String(error)).toContain('The token is not valid.')
  expect(session.read().notice).toContain('session has ended')
})

test('a subscription continues with a renewed credential', async () => {
  const { fetcher, server } = await signedIn()
  server.expire()
  const stream = (await fetcher({ query: 'subscription Count { count(to: 1) }' })) as unknown as Stream
  const result = await new Promise((resolve, reject) => {
    stream.subscribe({ next: resolve, error: reject, complete: () => {} })
  })
  expect(result).toEqual({ data: { count: 1 } })
})
