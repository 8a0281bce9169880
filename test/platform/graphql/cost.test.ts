import { describe, expect, test } from 'bun:test'
import { buildSchema, getOperationAST, parse, validate } from 'graphql'
import { costOf } from '../../../src/platform/graphql/cost.ts'

const schema = buildSchema(`
  type Query { shelves(first: Int, last: Int, after: String): ShelfConnection! viewer: Viewer shelf(id: ID!): Shelf! }
  type Mutation { rename(id: ID!): RenamePayload! }
  type RenamePayload { shelf: Shelf! }
  type ShelfConnection { totalCount: Int! edges: [ShelfEdge!]! nodes: [Shelf!]! pageInfo: PageInfo! }
  type ShelfEdge { cursor: String! node: Shelf! }
  type Shelf implements Named {
    name: String! labels: [String!]! keeper: Person! books: [Book!]! shelves(first: Int, last: Int): ShelfConnection!
  }
  type Book { title: String! author: Person }
  type Person { name: String! }
  interface Named { name: String! }
  union Viewer = Person | Shelf
  type PageInfo { hasNextPage: Boolean! }
`)

function cost(query: string, variables: Record<string, unknown> = {}): number {
  const document = parse(query)
  expect(validate(schema, document)).toEqual([])
  const operation = getOperationAST(document)
  if (!operation) throw new Error('no operation')
  const first = costOf(schema, document, operation, variables)
  // Counted once, and the same from then on.
  expect(costOf(schema, document, operation, variables)).toBe(first)
  return first
}

describe('computed by hand', () => {
  test.each([
    ['scalars cost nothing', '{ __typename }', 0],
    ['an object costs 1', '{ shelf(id: 1) { name labels } }', 1],
    ['and another below it', '{ shelf(id: 1) { keeper { name } } }', 2],
    // 1 for the connection, 1 for its edges, 20 nodes.
    ['a page counts as often as it is long', '{ shelves(first: 20) { edges { node { name } } } }', 22],
    ['the same without edges', '{ shelves(first: 20) { nodes { keeper { name } } } }', 22],
    ['the last page too', '{ shelves(last: 20) { edges { cursor node { name } } } }', 22],
    ['50 where none is named', '{ shelves { edges { node { name } } } }', 52],
    ['50 where it is null', '{ shelves(first: null) { edges { node { name } } } }', 52],
    ['the longer of two', '{ shelves(first: 2, last: 5) { edges { node { name } } } }', 7],
    ['never more than 200', '{ shelves(first: 100000) { edges { node { name } } } }', 202],
    ['nor less than nothing', '{ shelves(first: -5) { edges { node { name } } } }', 2],
    ['what is no list counts once', '{ shelves(first: 20) { totalCount pageInfo { hasNextPage } } }', 2],
    // 1 list, 10 times its author.
    ['10 for a list without pages', '{ shelf(id: 1) { books { author { name } } } }', 12],
    // 2 + 3 * (node 1 + 2 + 4 * (node 1 + books 1 + 10 authors)).
    [
      'lists in lists multiply',
      '{ shelves(first: 3) { edges { node { shelves(first: 4) { edges { node { books { author { name } } } } } } } } }',
      155,
    ],
    ['aliases count', '{ a: shelf(id: 1) { name } b: shelf(id: 2) { name } }', 2],
    [
      'fragments count where they are spread',
      '{ ...A ... on Query { shelves(first: 2) { nodes { ...B } } } } fragment A on Query { shelf(id: 1) { ...B } } fragment B on Shelf { keeper { name } }',
      // shelf 1 + keeper 1; connection 1 + nodes 1 + 2 keepers.
      6,
    ],
    [
      'every kind of a union counts',
      '{ viewer { ... on Person { name } ... on Shelf { keeper { name } } ... on Named { name } } }',
      2,
    ],
    ['a mutation costs 10 more', 'mutation { rename(id: 1) { shelf { name } } }', 12],
    [
      'each of them',
      'mutation { a: rename(id: 1) { __typename } ...M } fragment M on Mutation { rename(id: 2) { __typename } }',
      22,
    ],
    ['introspection costs 1', '{ __schema { types { name fields { name type { name } } } } }', 1],
    ['what is left out by a directive counts', '{ shelf(id: 1) @skip(if: true) { name } }', 1],
  ])('%s', (_, query, points) => {
    expect(cost(query)).toBe(points)
  })
})

describe('page sizes from variables', () => {
  const query = 'query ($n: Int) { shelves(first: $n) { edges { node { shelves(first: $n) { nodes { name } } } } } }'
  // 2 + n * (node 1 + connection 1 + nodes 1 + n * 0).
  test.each([
    [{ n: 10 }, 32],
    [{ n: 200 }, 602],
    [{}, 152],
    [{ n: null }, 152],
    [{ n: 1e9 }, 602],
    [{ n: 'many' }, 152],
  ])('%j', (variables, points) => {
    expect(cost(query, variables)).toBe(points)
  })

  test('their defaults', () => {
    const preset = 'query ($n: Int = 7) { shelves(first: $n) { edges { node { name } } } }'
    expect([cost(preset), cost(preset, { n: 3 }), cost(preset, { n: null })]).toEqual([9, 5, 52])
  })

  test('one document is evaluated again for each of them', () => {
    const document = parse('query ($n: Int) { shelves(last: $n) { nodes { keeper { name } } } }')
    const operation = getOperationAST(document)
    if (!operation) throw new Error('no operation')
    expect([1, 2, 3].map((n) => costOf(schema, document, operation, { n }))).toEqual([3, 4, 5])
  })
})
