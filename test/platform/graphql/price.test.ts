import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Glob } from 'bun'
import {
  type GraphQLField,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql'
import { MAX_POINTS } from '../../../src/platform/graphql/budget.ts'
import { computeCost } from '../../../src/platform/graphql/cost.ts'
import { priceOf } from '../../../src/platform/graphql/price.ts'
import { schema } from '../../../src/roles/gateway/schema.ts'

const OPERATION = Kind.OPERATION_DEFINITION

function costsOf(text: string, variables: Record<string, unknown> = {}): number[] {
  const document = parse(text)
  expect(validate(schema, document)).toEqual([])
  return document.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? [computeCost(schema, document, definition, variables)] : [],
  )
}
const aliases = (field: string, count = 30) => Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')

describe('every field of the schema', () => {
  const fields: [string, GraphQLField<unknown, unknown>][] = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .filter(({ name }) => !name.startsWith('__') && !name.endsWith('Connection'))
    .flatMap((type) =>
      Object.entries(type.getFields()).map(([name, field]) => [`${type.name}.${name}`, field] as never),
    )
  const isList = ({ type }: GraphQLField<unknown, unknown>) => isListType(getNullableType(type))
  const lists = fields.filter(([, field]) => isList(field) && !isLeafType(getNamedType(field.type)))
  const values = fields.filter(([, { type }]) => getNamedType(type).name === 'JSON')

  test.each(lists)('%s, a list without pages, states how many items it has', (_, field) => {
    expect(priceOf(field).items).toBeWithin(1, 10_001)
  })

  test.each(values)('%s, a value of JSON, states its price', (_, field) => {
    expect(priceOf(field).points).toBeGreaterThan(0)
  })

  test.each(fields.filter(([name]) => /\.transcription$/.test(name)))('%s is long', (_, field) => {
    expect(priceOf(field)).toMatchObject({ points: 64, isLong: true })
  })

  test.each(fields.filter(([name]) => /^(TrackFile|CoverImage|PlayFile|WaveformFile)\.url$|Edge\.cursor$/.test(name)))(
    '%s is signed',
    (_, field) => {
      expect(priceOf(field).points).toBe(0.5)
    },
  )
})

describe('operations that cost next to nothing before', () => {
  const pages = (first: number, inner: string) =>
    `{ tracks(first: 200) { nodes { collection { tracks(first: ${first}) { nodes { ${inner} } } } } } }`
  test.each([
    // 1 + 200 tracks with a value.
    ['a page', '{ tracks(first: 200) { nodes { id } } }', 211],
    // 1 + 200 x (1 + collection 1 + page 1 + 1.05).
    ['pages of one record', pages(1, 'id'), 811],
    ['pages in a page', pages(200, 'id'), 42_601],
    [
      '30 of them',
      `{ tracks(first: 200) { nodes { collection { ${aliases('tracks(first: 200) { nodes { id } }')} } } } }`,
      1_266_401,
    ],
    ['30 numbers of found tracks', `{ ${aliases('tracks(filter: { search: "ab" }) { totalCount }')} }`, 36_030],
    ['30 pages of found tracks', `{ ${aliases('tracks(first: 1, filter: { search: "ab" }) { nodes { id } }')} }`, 6062],
    ['30 numbers of stale tracks', `{ ${aliases('tracks(filter: { hasStaleFiles: false }) { totalCount }')} }`, 36_030],
    ['30 tables of usage', `{ ${aliases('usage(groupBy: [TRACK, DAY, KEY, VARIANT]) { requests }')} }`, 30_032],
    ['30 tables of days', `{ ${aliases('usage(groupBy: [DAY]) { requests }')} }`, 12_032],
    ['transcriptions of a page', '{ tracks(first: 200) { nodes { transcription } } }', 13_001],
    ['one transcription 30 times', `{ tracks(first: 200) { nodes { ${aliases('transcription')} } } }`, 384_201],
    ['metadata in pages', pages(10, 'metadata'), 18_601],
  ])('%s', (_, query, points) => {
    expect(costsOf(query)).toEqual([points])
  })

  test.each([
    ['usage', 'query ($by: [UsageGroup!]) { usage(groupBy: $by) { requests } }', { by: ['TRACK'] }, 1002],
    ['usage by day', 'query ($by: [UsageGroup!]) { usage(groupBy: $by) { requests } }', { by: ['DAY'] }, 402],
    ['usage of the period', 'query ($by: [UsageGroup!]) { usage(groupBy: $by) { requests } }', {}, 52],
    ['a filter', 'query ($f: TrackFilter) { tracks(filter: $f) { totalCount } }', { f: { search: 'ab' } }, 1201],
    ['no filter', 'query ($f: TrackFilter) { tracks(filter: $f) { totalCount } }', {}, 2],
  ])('%s by variables', (_, query, variables, points) => {
    expect(costsOf(query, variables)).toEqual([points])
  })
})

describe('a long text in a list of lists is refused', () => {
  test.each([
    [
      'in pages of pages',
      '{ tracks(first: 1) { nodes { collection { tracks(first: 1) { nodes { transcription } } } } } }',
    ],
    ['through edges', '{ collections { edges { node { tracks { edges { node { transcription } } } } } } }'],
    [
      'in a list of a page',
      '{ webhookEndpoints { nodes { deliveries { nodes { attempts { number } } } } } collections { nodes { tracks { nodes { t: transcription } } } } }',
    ],
    [
      'in fragments',
      '{ collections { nodes { ...C } } } fragment C on Collection { tracks { nodes { ... on Track { ...T } } } } fragment T on Track { transcription }',
    ],
    ['left out by a directive', '{ collections { nodes { tracks { nodes { transcription @skip(if: true) } } } } }'],
  ])('%s', (_, query) => {
    expect(() => costsOf(query)).toThrow('query: transcription may be long and cannot be selected in a list of lists')
  })

  test.each([
    ['of one record', '{ track(id: 1) { transcription } }'],
    ['of a page', '{ tracks { nodes { transcription } } }'],
    ['of a page of one record', '{ collection(id: 1) { tracks { nodes { transcription } } } }'],
    ['of the track of a page', '{ keys { nodes { track { transcription } } } }'],
  ])('and not %s', (_, query) => {
    expect(() => costsOf(query)).not.toThrow()
  })
})

describe('operations of the pages cost less than a tenth of the limit', () => {
  const files = [...new Glob('src/web/**/*.graphql').scanSync('.')].sort()
  const documents = files.map((file) => parse(readFileSync(file, 'utf8')))
  const fragments = documents.flatMap(({ definitions }) => definitions.filter(({ kind }) => kind !== OPERATION))
  const operations = documents.flatMap(({ definitions }) => definitions.filter(({ kind }) => kind === OPERATION))
  /** Filters and groups as a person may choose them. */
  const variables = { filter: { search: 'ab' }, groupBy: ['TRACK'], group: 'TRACK', first: 50 }

  test('there are some', () => expect(operations.length).toBeGreaterThan(90))

  test.each(
    operations.map((operation) => [(operation as OperationDefinitionNode).name?.value ?? '', operation] as const),
  )('%s', (_, operation) => {
    const document = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] } as const
    for (const chosen of [{}, variables]) {
      expect(computeCost(schema, document, operation as OperationDefinitionNode, chosen)).toBeLessThan(MAX_POINTS / 10)
    }
  })
})
