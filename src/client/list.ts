import type { RequestOptions, Rest, Schemas } from './rest.ts'
import { readData } from './rest.ts'

export interface ListOptions extends RequestOptions {
  /** Only the record with your own identifier. */
  organizationIndex?: string
  /** Records of a request. 1 to 200. Defaults to 100. */
  pageSize?: number
}

interface PageQuery {
  limit: number
  offset: number
  organization_index?: string
}

/**
 * Iterates over a list, a page at a time, newest first. A record that newer ones have moved
 * to the next page is not repeated.
 */
async function* iterate<T extends { id: string }>(
  { organizationIndex, pageSize = 100 }: ListOptions,
  read: (query: PageQuery) => Promise<{ records: T[]; count: number }>,
): AsyncGenerator<T, void> {
  let lastIds = new Set<string>()
  for (let offset = 0, count = 1; offset < count; offset += pageSize) {
    const query = { limit: pageSize, offset, ...(organizationIndex && { organization_index: organizationIndex }) }
    const page = await read(query)
    count = page.count
    for (const record of page.records) if (!lastIds.has(record.id)) yield record
    lastIds = new Set(page.records.map(({ id }) => id))
  }
}

export const listCollections = (rest: Rest, options: ListOptions) =>
  iterate<Schemas['Collection']>(options, async (query) => {
    const answer = await rest.GET('/v1/collection', { params: { query }, signal: options.signal })
    const { collections: records, count } = readData(answer)
    return { records, count }
  })

export const listCreators = (rest: Rest, options: ListOptions) =>
  iterate<Schemas['Creator']>(options, async (query) => {
    const answer = await rest.GET('/v1/creator', { params: { query }, signal: options.signal })
    const { creators: records, count } = readData(answer)
    return { records, count }
  })

export const listTracks = (rest: Rest, collectionId: string, options: ListOptions) =>
  iterate(options, async (query) => {
    const params = { path: { collection_id: collectionId }, query }
    const answer = await rest.GET('/v1/collection/{collection_id}/track', { params, signal: options.signal })
    const { tracks: records, count } = readData(answer)
    return { records, count }
  })
