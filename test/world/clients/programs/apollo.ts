// Apollo Client with its defaults, with queries by GET, and with automatic persisted queries by GET.

import { createHash } from 'node:crypto'
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'

const { URL: uri = '', API_KEY: key } = process.env
const query = gql`query Variants { variants(first: 1) { nodes { id index } } }`
const persisted = new PersistedQueryLink({
  sha256: (text: string) => createHash('sha256').update(text).digest('hex'),
  useGETForHashedQueries: true,
})
const ways = { defaults: {}, useGETForQueries: { useGETForQueries: true }, persisted: {} }

const results: Record<string, unknown> = {}
for (const [name, options] of Object.entries(ways)) {
  const methods: string[] = []
  const http = new HttpLink({
    uri,
    headers: { authorization: `Bearer ${key}` },
    ...options,
    fetch: (input, init) => {
      methods.push(init?.method ?? 'GET')
      return fetch(input, init)
    },
  })
  const link = name === 'persisted' ? ApolloLink.from([persisted, http]) : http
  const client = new ApolloClient({ cache: new InMemoryCache(), link })
  const { data } = await client.query<{ variants: { nodes: unknown[] } }>({ query })
  results[name] = { methods, count: data?.variants.nodes.length }
}
console.log(JSON.stringify(results))
