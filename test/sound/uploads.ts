import { beforeAll } from 'bun:test'
import { availableParallelism } from 'node:os'
import { insertVariant, resolveProps } from '../../src/domain/variant/service.ts'
import type { Tools } from '../../src/platform/media/ffmpeg/tools.ts'
import { type Processed, readTrack } from '../support/processed.ts'
import { type Json, startTestService, type TestService, uploadTrack } from '../support/service.ts'
import { isOldFfmpeg, toolsFor, withoutSandbox } from '../support/tools.ts'
import { type Recipe, recipes } from './variants.ts'

export type Bytes = Uint8Array<ArrayBuffer>

/** A recording of the corpus. */
export interface Recording {
  /** Name of the uploaded file, which is also that of its test. Unique in its table. */
  name: string
  /** The same bytes in every run. */
  make: () => Promise<Bytes>
}

/**
 * Rows that an ffmpeg before 5.0 decodes and measures right.
 * @param names of those that it does not
 */
export const unlessOld = <Row extends Recording>(rows: readonly Row[], names: readonly string[]): readonly Row[] =>
  isOldFfmpeg ? rows.filter(({ name }) => !names.includes(name)) : rows

/** A recording after its upload and all jobs. The service that processed it has stopped. */
export interface Uploaded extends Processed {
  /** Bytes of the recording. */
  bytes: Bytes
  /** Chapters of the track, from GraphQL. */
  chapters: Json[]
  /** Bytes behind an address of a file. */
  at: (url: string) => Bytes
  /** Bytes of the file of a variant. @throws when it was not made */
  file: (index: string) => Bytes
}

/** Recordings that are processed with the same variants. */
export interface Table<Row extends Recording> {
  rows: readonly Row[]
  variants: readonly (keyof typeof recipes)[]
}

const TIMEOUT_MS = 280_000

/** Each table is processed once, however many files of tests measure it. */
const uploaded = new Map<object, Promise<Map<string, Uploaded | Error>>>()

/**
 * Uploads the recordings of a table to one service, before the tests of a file.
 * @returns the results of a recording; it throws the error of one that could not be made or uploaded
 */
export function useUploads<Row extends Recording>(table: Table<Row>): (row: Row) => Uploaded {
  let results = new Map<string, Uploaded | Error>()
  beforeAll(async () => {
    const pending = uploaded.get(table) ?? process(table)
    uploaded.set(table, pending)
    results = await pending
  }, TIMEOUT_MS)
  return ({ name }) => {
    const result = results.get(name)
    if (!result) throw new Error(`${name} was not uploaded`)
    if (result instanceof Error) throw result
    return result
  }
}

async function process({ rows, variants }: Table<Recording>) {
  if (new Set(rows.map(({ name }) => name)).size < rows.length) throw new Error('two recordings have the same name')
  const results = new Map<string, Uploaded | Error>()
  for (const [tools, group] of Map.groupBy(rows, ({ name }) => toolsFor(name))) {
    await processWith(withoutSandbox(tools), { rows: group, variants }, results)
  }
  return results
}

/** Adds the results of the recordings of a table. */
async function processWith(tools: Tools, { rows, variants }: Table<Recording>, results: Map<string, Uploaded | Error>) {
  const service = await startTestService({}, tools)
  try {
    await setVariants(
      service,
      variants.map((index) => [index, recipes[index] as Recipe]),
    )
    const sent = new Map<string, { id: string; bytes: Bytes }>()
    await eachOf(rows, async ({ name, make }) => {
      try {
        const bytes = await make()
        sent.set(name, { id: await uploadTrack(service, bytes, name), bytes })
      } catch (error) {
        results.set(name, error as Error)
      }
    })
    await Promise.all(Array.from({ length: availableParallelism() }, () => service.runJobs()))
    await eachOf([...sent], async ([name, { id, bytes }]) => {
      results.set(name, await download(service, id, bytes))
    })
  } finally {
    await service.stop()
  }
}

/** Replaces the variants of the demo organization. */
async function setVariants({ services: { db }, demo }: TestService, rows: [index: string, recipe: Recipe][]) {
  const { organization_id: organizationId } = demo
  await db.variant.updateMany({ where: { organizationId }, data: { deletedAt: new Date() } })
  for (const [index, { type, props }] of rows) {
    await insertVariant(db, { organizationId, trackId: null, type, index, props: resolveProps(type, props) })
  }
}

async function download(service: TestService, id: string, bytes: Bytes): Promise<Uploaded> {
  const track = await readTrack(service, id)
  const query = 'query ($id: ID!) { track(id: $id) { chapters { title startSeconds } } }'
  const { data } = await service.graphql(query, { id })
  const bodies = new Map<string, Bytes>()
  for (const url of addressesIn(track.files)) {
    const answer = await service.fetchEdge(url)
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`)
    bodies.set(url, new Uint8Array(await answer.arrayBuffer()))
  }
  const at = (url: string) => {
    const body = bodies.get(url)
    if (!body) throw new Error(`${url} was not fetched`)
    return body
  }
  const file = (index: string) => {
    const { is_success: isSuccess, status_text: text, url } = track.files[index] ?? {}
    if (!isSuccess) throw new Error(`${index}: ${text}`)
    return at(url)
  }
  return { ...track, bytes, chapters: data.track.chapters, at, file }
}

/** Every `url` of finished files, also of the siblings that their data names. */
function addressesIn(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'url' && typeof inner === 'string' ? [inner] : addressesIn(inner),
  )
}

/** Runs a function for each item, one for each core at once. */
async function eachOf<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await run(item)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
}
