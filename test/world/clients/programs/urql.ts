// urql with its defaults: a query, the next page of a list, a mutation and its error.
import { Client, fetchExchange, gql } from '@urql/core'

const { URL: url = '', API_KEY: key } = process.env
const methods: string[] = []
const client = new Client({
  url,
  exchanges: [fetchExchange],
  fetchOptions: { headers: { authorization: `Bearer ${key}` } },
  fetch: (input, init) => {
    methods.push(init?.method ?? 'GET')
    return fetch(input, init)
  },
})

const list = gql`query ($first: Int, $after: String) {
  variants(first: $first, after: $after) { nodes { id index } pageInfo { endCursor hasNextPage } }
}`
const first = await client.query(list, { first: 1 }).toPromise()
const next = await client.query(list, { first: 1, after: first.data.variants.pageInfo.endCursor }).toPromise()
const create = gql`mutation ($index: String!) { createCreator(input: { organizationIndex: $index }) { creator { id } } }`
const index = `urql-${Date.now()}`
const created = await client.mutation(create, { index }).toPromise()
const again = await client.mutation(create, { index }).toPromise()

console.log(
  JSON.stringify({
    methods,
    errors: [first.error?.message, next.error?.message, created.error?.message],
    pages: [first.data.variants.nodes.length, next.data.variants.nodes.length],
    isNext: first.data.variants.nodes[0].id !== next.data.variants.nodes[0].id,
    code: again.error?.graphQLErrors[0]?.extensions.code,
  }),
)
