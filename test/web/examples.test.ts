import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GraphQLError, getOperationAST, getVariableValues, parse, validate } from 'graphql'
import { schema } from '../../src/roles/gateway/schema.ts'
import { parseExample } from '../../src/web/graphiql/example.ts'

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
    })
  })

  test('may go without variables, but not without a title or with broken JSON', () => {
    expect(parseExample('# A: b\n# c\nquery D { e }').variables).toBe('')
    expect(() => parseExample('query D { e }')).toThrow('Group: title')
    expect(() => parseExample('# A: b\n# Variables: {"id"}\nquery D { e }')).toThrow()
  })
})
