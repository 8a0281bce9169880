import { describe, expect, test } from 'bun:test'
import { buildClientSchema, getIntrospectionQuery, parse } from 'graphql'
import { measure } from '../../../src/platform/graphql/measure.ts'
import { type Json, startTestService, useTestService } from '../../support/service.ts'

const service = useTestService()

const times = (count: number, text: string) => Array(count).fill(text).join(' ')
const messageOf = (answer: Json): string => answer.errors?.[0].message ?? ''

/** At its limit an operation is carried out; one more is refused with the limit and what was asked for. */
async function expectLimit(operation: (count: number) => string, name: string, limit: number, operationName?: string) {
  const ask = async (count: number) =>
    (await service.request('POST', '/graphql', { body: { query: operation(count), operationName } })).json
  const inside = await ask(limit)
  expect(inside.errors).toBeUndefined()
  expect(inside.data).toBeDefined()
  const outside = await ask(limit + 1)
  expect(outside.data).toBeUndefined()
  expect(outside.errors[0].extensions.code).toBe('invalid_input')
  expect(messageOf(outside)).toBe(`query: exceeds the ${name} limit of ${limit}, asks for ${limit + 1}`)
}

describe('an operation at its limit is executed, one more is rejected with the reason', () => {
  test('fields under the root', () => expectLimit((count) => `{ ${times(count, '__typename')} }`, 'root field', 30))

  test('fields of one selection', () =>
    expectLimit((count) => `{ viewer { ${times(count, '__typename')} } }`, 'breadth', 100))

  test('fields of one selection, through fragments', () =>
    expectLimit(
      (count) =>
        `{ viewer { ...A ...A ... on KeyViewer { ${times(count - 80, '__typename')} } } }
         fragment A on KeyViewer { ${times(40, '__typename')} }`,
      'breadth',
      100,
    ))

  test('fields of one selection, in an unused fragment', async () => {
    const unused = (count: number) => `{ __typename } fragment A on KeyViewer { ${times(count, '__typename')} }`
    expect(messageOf(await service.graphql(unused(100)))).toContain('"A" is never used')
    expect(messageOf(await service.graphql(unused(101)))).toContain('breadth limit of 100, asks for 101')
  })

  test('total fields: fragments cannot expand a document beyond the token limit', () =>
    expectLimit(
      (count) =>
        `{ ${times(20, 'viewer { ...A }')} ${times(count - 2000, '__typename')} }
         fragment A on KeyViewer { ${times(99, '__typename')} }`,
      'field',
      2000,
    ))

  test('directives, those of the operation and of fragments too', () =>
    expectLimit(
      (count) =>
        `query ($on: Boolean = true) { ${times(5, '... @include(if: $on) { __typename @include(if: $on) }')}
           ...A @skip(if: false) ...A @skip(if: false) ${times(count - 14, '__typename')
             .split(' ')
             .filter(Boolean)
             .map((field) => `${field} @include(if: true)`)
             .join(' ')} }
         fragment A on Query { __typename @include(if: $on) }`,
      'directive',
      20,
    ))

  test('operations in a document', () =>
    expectLimit(
      (count) => Array.from({ length: count }, (_, i) => `query Q${i} { __typename }`).join(' '),
      'operation',
      20,
      'Q0',
    ))

  test('tokens: parsing stops at the limit', async () => {
    const answer = await service.graphql(`{ ${times(3000, '__typename')} ] ] this would be an error of its own`)
    expect(messageOf(answer)).toBe('query: exceeds the token limit of 2000, asks for more')
  })

  test('depth, through fragments', async () => {
    const nested = (levels: number): string => (levels === 0 ? 'id' : `x { ${nested(levels - 1)} }`)
    const query = (levels: number) =>
      `{ x { ...A } } fragment A on Track { x { ...B } } fragment B on Track { ${nested(levels)} }`
    expect(messageOf(await service.graphql(query(12)))).not.toContain('limit')
    expect(messageOf(await service.graphql(query(13)))).toContain('depth limit of 15, asks for 16')
  })
})

describe('variables', () => {
  const update = `mutation ($input: UpdateTrackInput!) {
    updateTrack(id: "00000000-0000-4000-8000-000000000000", input: $input) { track { id } }
  }`
  const send = async (input: object) => messageOf(await service.graphql(update, { input }))

  test('200 items of a list are accepted, 201 rejected', async () => {
    const theme = (count: number) => ({ theme: Array(count).fill({ name: 'x', color: '#fff' }) })
    expect(await send(theme(200))).not.toContain('limit')
    expect(await send(theme(201))).toBe('variables.input.theme: exceeds the limit of 200 items, has 201')
  })

  test('a JSON value may contain longer lists, up to 40,000 values in total', async () => {
    // Two for what is around it.
    const metadata = (count: number) => ({ metadata: { list: Array(count - 4).fill(1) } })
    expect(await send(metadata(40_000))).not.toContain('limit')
    expect(await send(metadata(40_001))).toBe('variables: exceeds the limit of 40000 values, has 40001')
  })

  test('nesting is limited', async () => {
    const nested = (levels: number): object => (levels === 1 ? {} : { x: nested(levels - 1) })
    // 38 levels of metadata, in two of the variables.
    expect(await send({ metadata: nested(38) })).toBe('metadata: must be at most 32 levels deep')
    expect(await send({ metadata: nested(39) })).toBe('variables: nesting is too deep')
  })
})

describe('malicious documents', () => {
  test('circular fragments are a validation error', async () => {
    const circle =
      '{ viewer { ...A } } fragment A on KeyViewer { __typename ...B } fragment B on KeyViewer { kind ...A }'
    expect(messageOf(await service.graphql(circle))).toContain('Cannot spread fragment')
  })

  test('fragments of the same name, and one that is missing', async () => {
    const twice = '{ viewer { ...A } } fragment A on KeyViewer { kind } fragment A on KeyViewer { kind }'
    expect(messageOf(await service.graphql(twice))).toContain('only one fragment named "A"')
    expect(messageOf(await service.graphql('{ viewer { ...Missing } }'))).toContain('Unknown fragment "Missing"')
  })

  test('fragments that double forty times are measured quickly', () => {
    const doubling = Array.from(
      { length: 40 },
      (_, i) => `fragment F${i} on T { a { ...F${i + 1} } b { ...F${i + 1} } }`,
    )
    const document = parse(`{ ...F0 } ${doubling.join(' ')} fragment F40 on T { a }`)
    const began = performance.now()
    expect(measure(document)).toMatchObject({ depth: 41, fields: 3 * 2 ** 40 - 2 })
    expect(performance.now() - began).toBeLessThan(50)
  })
})

describe('introspection', () => {
  const full = getIntrospectionQuery({
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  })

  test('the full query of code generators and consoles passes', async () => {
    const { data, errors } = await service.graphql(full)
    expect(errors).toBeUndefined()
    expect(buildClientSchema(data).getQueryType()?.getFields()).toHaveProperty('tracks')
  })

  test('off: rejected, and no error suggests a name', async () => {
    const closed = await startTestService({ GRAPHQL_INTROSPECTION: 'off' })
    const refused = await closed.graphql(full)
    expect(refused.errors[0].extensions.code).toBe('invalid_input')
    expect(refused.data).toBeUndefined()
    const misspelt = '{ colections { totalCount } }'
    expect(messageOf(await closed.graphql(misspelt))).toBe('Cannot query field "colections" on type "Query".')
    expect(messageOf(await service.graphql(misspelt))).toContain('Did you mean "collections"')
    expect((await closed.graphql('{ viewer { __typename } }')).data.viewer.__typename).toBe('KeyViewer')
    await closed.stop()
  })
})
