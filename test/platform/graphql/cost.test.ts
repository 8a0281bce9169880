import { describe, expect, test } from 'bun:test'
import { buildSchema, getOperationAST, parse, validate } from 'graphql'
import { computeCost } from '../../../src/platform/graphql/cost.ts'
import type { Price } from '../../../src/platform/graphql/price.ts'

const schema = buildSchema(`
  type Query { shelves(first: Int, last: Int, after: String, filter: Filter): ShelfConnection! viewer: Viewer shelf(id: ID!): Shelf! }
  type Mutation { rename(id: ID!): RenamePayload! }
  type RenamePayload { shelf: Shelf! }
  type ShelfConnection { totalCount: Int! edges: [ShelfEdge!]! nodes: [Shelf!]! pageInfo: PageInfo! }
  type ShelfEdge { cursor: String! node: Shelf! }
  type Shelf implements Named {
    name: String! labels: [String!]! keeper: Person! books: [Book!]! shelves(first: Int, last: Int, filter: Filter): ShelfConnection!
  }
  type Book { title: String! author: Person }
  type Person { name: String! }
  interface Named { name: String! }
  input Filter { name: String }
  union Viewer = Person | Shelf
  type PageInfo { hasNextPage: Boolean! }
`)

function cost(query: string, variables: Record<string, unknown> = {}): number {
  const document = parse(query)
  expect(validate(schema, document)).toEqual([])
  const operation = getOperationAST(document)
  if (!operation) throw new Error('no operation')
  const first = computeCost(schema, document, operation, variables)
  // Counted once, and the same from then on.
  expect(computeCost(schema, document, operation, variables)).toBe(first)
  return first
}

describe('computed by hand', () => {
  test.each([
    ['an introspected name costs nothing', '{ __typename }', 0],
    // An object and a value, rounded up.
    ['an object costs 1, a value 1/20', '{ shelf(id: 1) { name } }', 2],
    ['values add up', `{ shelf(id: 1) { ${Array.from({ length: 20 }, (_, i) => `a${i}: name`).join(' ')} } }`, 2],
    ['and another object below it', '{ shelf(id: 1) { keeper { __typename } } }', 2],
    // 1 for the connection, 20 records.
    ['a page counts its records', '{ shelves(first: 20) { nodes { __typename } } }', 21],
    ['an edge and its record count once', '{ shelves(first: 20) { edges { node { __typename } } } }', 21],
    ['edges without records count too', '{ shelves(first: 20) { edges { __typename } } }', 21],
    ['both ways count twice', '{ shelves(first: 20) { nodes { __typename } edges { __typename } } }', 41],
    ['objects of records', '{ shelves(first: 20) { nodes { keeper { __typename } } } }', 41],
    ['the last page too', '{ shelves(last: 20) { edges { node { __typename } } } }', 21],
    ['50 where none is named', '{ shelves { nodes { __typename } } }', 51],
    ['50 where it is null', '{ shelves(first: null) { nodes { __typename } } }', 51],
    ['the longer of two', '{ shelves(first: 2, last: 5) { nodes { __typename } } }', 6],
    ['never more than 200', '{ shelves(first: 100000) { nodes { __typename } } }', 201],
    ['nor less than nothing', '{ shelves(first: -5) { nodes { __typename } } }', 1],
    ['the position of a page counts once', '{ shelves(first: 20) { pageInfo { __typename } } }', 2],
    // 1 + 20 records + 20 values of 1/20.
    ['values of a page', '{ shelves(first: 20) { nodes { name } } }', 22],
    // 1 shelf, 200 books with their authors.
    ['200 for a list without a price', '{ shelf(id: 1) { books { author { __typename } } } }', 401],
    ['and for a list of values', '{ shelf(id: 1) { labels } }', 11],
    // 1 + 3 * (1 + 1 + 4 * (1 + 200)).
    [
      'lists in lists multiply',
      '{ shelves(first: 3) { nodes { shelves(first: 4) { edges { node { books { __typename } } } } } } }',
      2419,
    ],
    ['aliases count', '{ a: shelf(id: 1) { __typename } b: shelf(id: 2) { __typename } }', 2],
    [
      'fragments count where they are spread',
      '{ ...A ... on Query { shelves(first: 2) { nodes { ...B } } } } fragment A on Query { shelf(id: 1) { ...B } } fragment B on Shelf { keeper { __typename } }',
      // shelf 1 + keeper 1; connection 1 + 2 records + 2 keepers.
      7,
    ],
    [
      'fragments within edges',
      '{ shelves(first: 2) { ...P } } fragment P on ShelfConnection { edges { ...E } } fragment E on ShelfEdge { node { __typename } }',
      3,
    ],
    [
      'every kind of a union counts',
      '{ viewer { ... on Person { __typename } ... on Shelf { keeper { __typename } } ... on Named { __typename } } }',
      2,
    ],
    ['a mutation costs 10 more', 'mutation { rename(id: 1) { shelf { __typename } } }', 12],
    [
      'each of them',
      'mutation { a: rename(id: 1) { __typename } ...M } fragment M on Mutation { rename(id: 2) { __typename } }',
      22,
    ],
    ['introspection costs 1', '{ __schema { types { name fields { name type { name } } } } }', 1],
    ['what is left out by a directive counts', '{ shelf(id: 1) @skip(if: true) { __typename } }', 1],
    ['a number of records costs 100', '{ shelves { totalCount } }', 101],
    ['with a filter 200 more, and the number 1,000', '{ shelves(filter: { name: "a" }) { totalCount } }', 1201],
    // 1 + 200 + 50.
    ['a page with a filter costs 200 more', '{ shelves(filter: { name: "a" }) { nodes { __typename } } }', 251],
    ['a filter without a condition is none', '{ shelves(filter: { name: null }) { totalCount } }', 101],
    // 1 + 3 * (1 + 1 + 200 + 4).
    [
      'a filter of an inner list counts for each list',
      '{ shelves(first: 3) { nodes { shelves(first: 4, filter: { name: "a" }) { nodes { __typename } } } } }',
      619,
    ],
  ])('%s', (_, query, points) => {
    expect(cost(query)).toBe(points)
  })
})

describe('filters from variables', () => {
  const whole = 'query ($filter: Filter) { shelves(filter: $filter) { totalCount } }'
  const inner = 'query ($name: String = "a") { shelves(filter: { name: $name }) { totalCount } }'
  test.each([
    [whole, {}, 101],
    [whole, { filter: null }, 101],
    [whole, { filter: { name: null } }, 101],
    [whole, { filter: { name: 'a' } }, 1201],
    [inner, {}, 1201],
    [inner, { name: null }, 101],
    [inner, { name: 'b' }, 1201],
  ])('%s %j', (query, variables, points) => {
    expect(cost(query, variables)).toBe(points)
  })
})

describe('items from arguments', () => {
  const counted = buildSchema('type Query { shelves(ids: [ID!]!): [Shelf]! } type Shelf { id: ID! keeper: Shelf }')
  const field = counted.getQueryType()?.getFields().shelves
  const items = ({ ids }: Readonly<Record<string, unknown>>) => (ids as unknown[]).length
  const price: Price = { items: 50, itemsByArguments: items, byArguments: (args) => 5 * items(args) }
  Object.assign(field ?? {}, { extensions: { price } })

  // Of each of 3: 5, and two objects.
  test.each([
    ['written', '{ shelves(ids: [1, 2, 3]) { keeper { __typename } } }', {}],
    ['a variable', 'query ($ids: [ID!]!) { shelves(ids: $ids) { keeper { __typename } } }', { ids: ['1', '2', '3'] }],
  ])('%s', (_, text, variables) => {
    const document = parse(text)
    const operation = getOperationAST(document)
    if (!operation) throw new Error('no operation')
    expect(computeCost(counted, document, operation, variables)).toBe(21)
  })
})

describe('page sizes from variables', () => {
  const query =
    'query ($n: Int) { shelves(first: $n) { edges { node { shelves(first: $n) { nodes { __typename } } } } } }'
  // 1 + n * (1 + 1 + n).
  test.each([
    [{ n: 10 }, 121],
    [{ n: 200 }, 40_401],
    [{}, 2601],
    [{ n: null }, 2601],
    [{ n: 1e9 }, 40_401],
    [{ n: 'many' }, 2601],
  ])('%j', (variables, points) => {
    expect(cost(query, variables)).toBe(points)
  })

  test('their defaults', () => {
    const preset = 'query ($n: Int = 7) { shelves(first: $n) { nodes { __typename } } }'
    expect([cost(preset), cost(preset, { n: 3 }), cost(preset, { n: null })]).toEqual([8, 4, 51])
  })

  test('one document is evaluated again for each of them', () => {
    const document = parse('query ($n: Int) { shelves(last: $n) { nodes { __typename } } }')
    const operation = getOperationAST(document)
    if (!operation) throw new Error('no operation')
    expect([1, 2, 3].map((n) => computeCost(schema, document, operation, { n }))).toEqual([2, 3, 4])
  })
})
