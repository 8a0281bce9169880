import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GraphQLError, getOperationAST, getVariableValues, NoDeprecatedCustomRule, parse, validate } from 'graphql'
import { schema } from '../../src/roles/gateway/schema.ts'
import { fillIn, isUnchanged, parseExample, placeholders } from '../../src/web/graphiql/example.ts'

const folder = join(import.meta.dir, '../../src/web/graphiql/examples')
const names = readdirSync(folder)
const examples = names.map((name) => [name, parseExample(readFileSync(join(folder, name), 'utf8'))] as const)

/** Mistakes in an operation and its variables, by the schema that the gateway serves. */
function mistakes(query: string, variables: string): string[] {
  const document = parse(query)
  const operation = getOperationAST(document)
  if (!operation?.name) return ['it has to be one operation with a name, which becomes the name of its tab']
  const { errors = [] } = getVariableValues(schema, operation.variableDefinitions ?? [], JSON.parse(variables || '{}'))
  const defined = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? []
  const unused = Object.keys(JSON.parse(variables || '{}')).filter((name) => !defined.includes(name))
  return [...validate(schema, document), ...errors, ...unused.map((name) => new GraphQLError(`no $${name}`))].map(
    ({ message }) => message,
  )
}

describe('examples of the console', () => {
  test('has examples for daily work', () => {
    expect(names.length).toBeGreaterThanOrEqual(15)
    expect(names.every((name) => /^[a-z-]+\.graphql$/.test(name))).toBe(true)
    expect(new Set(examples.map(([, { group, title }]) => `${group}: ${title}`)).size).toBe(names.length)
    // The tab that a first visit opens with.
    expect(examples.some(([, { query }]) => /\bquery WhoAmI\b/.test(query))).toBe(true)
  })

  test.each(examples)('%s fits the schema', (_, { description, query, variables }) => {
    expect(description).not.toBe('')
    expect(mistakes(query, variables)).toEqual([])
  })

  test.each(examples)('%s uses no deprecated field, and only known placeholders', (_, { query, variables }) => {
    expect(validate(schema, parse(query), [NoDeprecatedCustomRule]).map(({ message }) => message)).toEqual([])
    const used = [...variables.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    expect(used.filter((name) => !Object.hasOwn(placeholders, name))).toEqual([])
  })

  test.each(examples)('%s is marked when it writes', (_, { query, isWriting }) => {
    expect(isWriting).toBe(getOperationAST(parse(query))?.operation === 'mutation')
  })

  test('an invalid example is detected', () => {
    expect(mistakes('query Lost { nowhere }', '')).not.toEqual([])
    expect(mistakes('{ viewer { __typename } }', '')).not.toEqual([])
    expect(mistakes('query One($id: ID!) { track(id: $id) { id } }', '{"id": {}}')).not.toEqual([])
    expect(mistakes('query One($id: ID!) { track(id: $id) { id } }', '{"id": "1", "more": 2}')).not.toEqual([])
  })
})

describe('the head of a file', () => {
  const text = '# Tracks: Read one\n# A line\n# and another.\n# Variables: {"id":\n#   "1"}\nquery One { a }\n'

  test('is its group, its title, its description and its variables', () => {
    expect(parseExample(text)).toEqual({
      group: 'Tracks',
      title: 'Read one',
      description: 'A line and another.',
      query: '# Tracks: Read one\nquery One { a }\n',
      variables: '{\n  "id": "1"\n}',
      isWriting: false,
    })
  })

  test('may go without variables, but not without a title or with broken JSON', () => {
    expect(parseExample('# A: b\n# c\nquery D { e }').variables).toBe('')
    expect(() => parseExample('query D { e }')).toThrow('Group: title')
    expect(() => parseExample('# A: b\n# Variables: {"id"}\nquery D { e }')).toThrow()
  })
})

describe('the values of an example', () => {
  const template = '{"a": "{collectionId}", "b": {"c": "{trackId}"}, "d": "{organizationId}", "e": "{other}"}'

  test('are records of the organization, or a text where there is none', () => {
    expect(JSON.parse(fillIn(template, { collectionId: '1', trackId: null }))).toEqual({
      a: '1',
      b: { c: 'id of the track' },
      d: 'id of the organization',
      e: '{other}',
    })
  })

  const example = parseExample(
    '# A: b\n# c\n# Variables: {"id": "{trackId}", "input": {"n": 1, "of": ["x"]}}\nmutation D { e }',
  )
  const same = { id: 'any', input: { n: 1, of: ['x'] } }
  test.each([
    [same, true],
    [{ ...same, id: 7 }, false],
    [{ ...same, input: { n: 2, of: ['x'] } }, false],
    [{ ...same, input: { n: 1, of: ['y'] } }, false],
    [{ ...same, input: { n: 1, of: ['x'], more: 1 } }, false],
    [{ id: 'any' }, false],
    [undefined, false],
  ])('%j: unchanged is %p', (variables, expected) => {
    expect(isUnchanged(example, { query: `${example.query}\n`, variables })).toBe(expected)
    expect(isUnchanged(example, { query: `${example.query} # more`, variables })).toBe(false)
  })

  test('an example without variables is unchanged without any', () => {
    const bare = parseExample('# A: b\n# c\nmutation D { e }')
    expect(isUnchanged(bare, { query: bare.query })).toBe(true)
  })
})
