import { createSchema, createYoga } from 'graphql-yoga'
import type { Fetch } from '../../src/web/session/api.ts'
import type { SessionBrowser } from '../../src/web/session/session.ts'

const mutations = /* GraphQL */ `
  type SignInPayload { token: String! expiresAt: String! refreshToken: String! }
  type SignOutPayload { endedSessions: Int! }
  type Mutation {
    signIn(email: String!, password: String!, code: String): SignInPayload!
    refreshSignIn(refreshToken: String!): SignInPayload!
    signOut: SignOutPayload!
  }
`
const records = /* GraphQL */ `
  type Administrator { email: String! role: String! organizationId: ID! }
  type KeyViewer { kind: String! organizationId: ID! }
  union Viewer = Administrator | KeyViewer
  type Organization { name: String! }
  type Query { viewer: Viewer organization(id: ID!): Organization! secret: String! }
  type Subscription { count(to: Int!): Int! }
`

/** Kinds of the keys that the server accepts. */
const keys: Record<string, string> = { 'Bearer a-key': 'API', 'Bearer a-share-key': 'SHARE' }

export type TestServer = ReturnType<typeof createServer>

/**
 * A small server that answers like the service. Tokens are `token-1`, `token-2` and so on, and valid until `expire()`.
 */
export function createServer() {
  let tokenCount = 0
  let valid: string | null = null
  let refreshToken: string | null = null
  const log: string[] = []
  const state = { isRefreshRefused: false, expiresAt: '2030-01-01T00:00:00.000Z', signal: null as AbortSignal | null }
  const issue = () => {
    tokenCount += 1
    valid = `token-${tokenCount}`
    refreshToken = `refresh-${tokenCount}`
    return { token: valid, expiresAt: state.expiresAt, refreshToken }
  }
  const refuse = () => {
    throw new Error('unauthenticated')
  }
  const yoga = createYoga({
    logging: false,
    maskedErrors: { maskError: (error) => Object.assign(error as Error, { extensions: { code: 'unauthenticated' } }) },
    schema: createSchema<{ request: Request }>({
      typeDefs: records + mutations,
      resolvers: {
        Query: {
          viewer: (_: unknown, __: unknown, { request }: { request: Request }) => {
            const kind = keys[request.headers.get('authorization') ?? '']
            return kind
              ? { __typename: 'KeyViewer', kind, organizationId: '1' }
              : { __typename: 'Administrator', email: 'admin@example.com', role: 'OWNER', organizationId: '1' }
          },
          organization: () => ({ name: 'Records' }),
          secret: () => 'told',
        },
        Mutation: {
          signIn: (_: unknown, { password }: { password: string }) => (password === 'right' ? issue() : refuse()),
          refreshSignIn: (_: unknown, args: { refreshToken: string }) =>
            state.isRefreshRefused || args.refreshToken !== refreshToken ? refuse() : issue(),
          signOut: () => ({ endedSessions: 1 }),
        },
        Subscription: {
          count: {
            async *subscribe(_: unknown, { to }: { to: number }) {
              for (let n = 1; n <= to; n += 1) yield { count: n }
              // Beyond ten it stays open.
              if (to > 10) await new Promise(() => {})
            },
          },
        },
      },
    }),
  })

  /** As the gateway: a wrong credential is refused before anything of GraphQL. */
  const fetch: Fetch = async (url, init) => {
    const request = new Request(`http://server.test${url}`, init)
    const { query } = (await request.clone().json()) as { query: string }
    state.signal = init.signal ?? null
    log.push(/(\w+)[ ({]/.exec(query.replace(/^(#.*\n|\s|query|mutation|subscription)+/, ''))?.[1] ?? query)
    const authorization = request.headers.get('authorization')
    if (authorization !== null && !(authorization in keys) && authorization !== `Bearer ${valid}`) {
      const error = { message: 'The token is not valid.', extensions: { code: 'unauthenticated' } }
      return Response.json({ errors: [error] }, { status: 401 })
    }
    return yoga.fetch(request)
  }
  const expire = () => {
    valid = null
  }
  return { fetch, state, expire, /** Names of the operations that came. */ log }
}

export function memory(items = new Map<string, string>()) {
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
}

/** A browser whose tabs share a storage and know each other's changes. */
export function createBrowser(fetch: Fetch, now = (): number => 0) {
  const shared = memory()
  const tabs: ((name: string | null) => void)[] = []
  /** Ends with the work of the tab that has the lock. */
  let locked: Promise<unknown> = Promise.resolve()
  return {
    shared,
    /** Opens a tab. @param items of its own storage, such as those of a reloaded tab */
    open(items = new Map<string, string>()): SessionBrowser & { tab: ReturnType<typeof memory> } {
      const place = tabs.push(() => {}) - 1
      const change = (name: string) => {
        for (const [at, listener] of tabs.entries()) if (at !== place) listener(name)
      }
      return {
        fetch,
        now,
        tab: memory(items),
        shared: {
          getItem: shared.getItem,
          setItem(name, value) {
            shared.setItem(name, value)
            change(name)
          },
          removeItem(name) {
            shared.removeItem(name)
            change(name)
          },
        },
        onSharedChange: (listener) => {
          tabs[place] = listener
        },
        exclusively(work) {
          const ended = locked.then(work, work)
          locked = ended.catch(() => {})
          return ended
        },
      }
    },
  }
}
