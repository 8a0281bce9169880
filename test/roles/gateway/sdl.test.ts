import { expect, test } from 'bun:test'
import {
  buildSchema,
  findBreakingChanges,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql'
import { schema } from '../../../src/roles/gateway/schema.ts'
import { SDL_PATH, schemaFile, sdl } from '../../../src/roles/gateway/sdl.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()

test('the committed schema matches the code: else run `bun run schema` and review the change', async () => {
  expect(await Bun.file(schemaFile).text()).toBe(sdl)
})

test('it is served for code generators, to anyone, with an ETag', async () => {
  const answer = await service.request('GET', SDL_PATH, { key: null })
  expect([answer.status, answer.text]).toEqual([200, sdl])
  expect(answer.headers.get('content-type')).toStartWith('application/graphql')
  expect(findBreakingChanges(buildSchema(answer.text), schema)).toEqual([])
  const headers = { 'if-none-match': answer.headers.get('etag') ?? '' }
  expect((await service.request('GET', SDL_PATH, { key: null, headers })).status).toBe(304)
  expect((await service.request('POST', SDL_PATH, { key: null })).status).toBe(405)
})

/** Everything that a reader of the docs can open, by its path. */
function* described(type: GraphQLNamedType): Generator<[path: string, description: string | null | undefined]> {
  yield [type.name, type.description]
  if (isEnumType(type)) for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value.description]
  if (!('getFields' in type)) return
  for (const field of Object.values(type.getFields())) {
    yield [`${type.name}.${field.name}`, field.description]
    if (isInputObjectType(type)) continue
    for (const argument of 'args' in field ? field.args : []) {
      yield [`${type.name}.${field.name}(${argument.name})`, argument.description]
    }
  }
}

const schemaTypes = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))

test('every type, field, argument, input field and enum value has a description', () => {
  const entries = schemaTypes.flatMap((type) => [...described(type)])
  expect(entries.length).toBeGreaterThan(300)
  expect(entries.filter(([, description]) => !description?.trim()).map(([path]) => path)).toEqual([])
})

test('JSON is used for metadata only: all other fields are typed', () => {
  const json = schemaTypes.flatMap((type) =>
    isObjectType(type) || isInputObjectType(type)
      ? Object.values(type.getFields()).filter((field) => String(field.type).includes('JSON'))
      : [],
  )
  expect(new Set(json.map(({ name }) => name))).toEqual(new Set(['metadata']))
})

test('every list of records is a connection with first, after, last and before', () => {
  const connections = schemaTypes.flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields()).filter((field) => /Connection!?$/.test(String(field.type)))
      : [],
  )
  expect(connections.length).toBeGreaterThan(8)
  for (const { args } of connections) {
    expect(args.map(({ name }) => name)).toEqual(expect.arrayContaining(['first', 'after', 'last', 'before']))
  }
})
