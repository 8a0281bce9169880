// Relay's runtime: a record and the pages of its list are loaded again by the record's ID.
import {
  Environment,
  fetchQuery,
  Network,
  RecordSource,
  type RequestParameters,
  Store,
  type Variables,
} from 'relay-runtime'

const { URL: url = '', API_KEY: key, PROJECT, COLLECTION: id } = process.env

async function send({ text: query }: RequestParameters, variables: Variables) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) })).json()
}
const environment = new Environment({ network: Network.create(send), store: new Store(new RecordSource()) })

interface Page {
  edges: unknown[]
  pageInfo: { endCursor: string; hasNextPage: boolean }
}
const load = async (name: string, variables: Variables) => {
  const { default: operation } = await import(`${PROJECT}/src/__generated__/${name}.graphql.ts`)
  await fetchQuery(environment, operation, variables).toPromise()
  return environment.getStore().getSource()
}

await load('CollectionRecordQuery', { id })
const pages: Page[] = []
let cursor: string | null = null
do {
  const source = await load('CollectionTracksQuery', { id, count: 2, cursor })
  const record = source.get(String(id)) as Record<string, { __ref: string }>
  const list = Object.entries(record).find(([name]) => name.startsWith('tracks(') && (!cursor || name.includes(cursor)))
  const page = source.get(list?.[1].__ref ?? '') as unknown as {
    edges: { __refs: string[] }
    pageInfo: { __ref: string }
  }
  const pageInfo = source.get(page.pageInfo.__ref) as unknown as Page['pageInfo']
  pages.push({ edges: page.edges.__refs, pageInfo })
  cursor = pageInfo.hasNextPage ? pageInfo.endCursor : null
} while (cursor)
const record = environment.getStore().getSource().get(String(id))
console.log(
  JSON.stringify({ type: record?.__typename, nodeId: record?.nodeId, sizes: pages.map(({ edges }) => edges.length) }),
)
