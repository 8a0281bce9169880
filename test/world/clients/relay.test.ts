// Relay with its defaults: the compiler takes refetchable fragments on every record, and pages of every list.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, getNamedType, isNonNullType, isObjectType } from 'graphql'
import { root } from '../../../.config/once.ts'
import { cleanUp, createPlace, type Place, type ServiceProcess, startProcess } from '../../faults/process.ts'
import { FOLDER, findCommand, installPackages, run, succeed } from './packages.ts'

const schemaPath = join(root, 'src/roles/gateway/schema.graphql')
const project = join(FOLDER, 'relay')
let place: Place
let service: ServiceProcess

interface Fragment {
  file: string
  text: string
}

/** A refetchable fragment for every type that implements Node, and one with a page for each list of such a type. */
function writeFragments(): Fragment[] {
  const types = Object.values(buildSchema(readFileSync(schemaPath, 'utf8')).getTypeMap())
  const nodes = types.filter(isObjectType).filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'))
  return nodes.flatMap((type) => {
    const plain = {
      file: `${type.name}Record`,
      text: `fragment ${type.name}Record_record on ${type.name} @refetchable(queryName: "${type.name}RecordQuery") { id nodeId }`,
    }
    const lists = Object.values(type.getFields()).filter(({ type }) => getNamedType(type).name.endsWith('Connection'))
    const pages = lists.map(({ name, args }) => {
      expect(args.filter((arg) => isNonNullType(arg.type))).toEqual([])
      const file = `${type.name}${name[0]?.toUpperCase()}${name.slice(1)}`
      return {
        file,
        text: `fragment ${file}_record on ${type.name} @refetchable(queryName: "${file}Query")
          @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" }) {
          ${name}(first: $count, after: $cursor) @connection(key: "${file}_${name}") { edges { node { id } } } }`,
      }
    })
    return [plain, ...pages]
  })
}

beforeAll(async () => {
  await installPackages()
  place = await createPlace()
  service = await startProcess(place)
  rmSync(project, { recursive: true, force: true })
  mkdirSync(join(project, 'src'), { recursive: true })
  writeFileSync(
    join(project, 'relay.config.json'),
    JSON.stringify({ src: './src', schema: './schema.graphql', language: 'typescript' }),
  )
  writeFileSync(join(project, 'schema.graphql'), readFileSync(schemaPath))
}, 300_000)
afterAll(() => cleanUp(place))

test('the compiler takes refetchable fragments on every record and list', async () => {
  const fragments = writeFragments()
  expect(fragments.length).toBeGreaterThan(25)
  for (const { file, text } of fragments) {
    writeFileSync(
      join(project, 'src', `${file}.ts`),
      `import { graphql } from 'react-relay'\nexport const fragment = graphql\`${text}\`\n`,
    )
  }
  const { exitCode, stdout, stderr } = await run([findCommand('relay-compiler')], { cwd: project })
  expect([exitCode, exitCode === 0 ? '' : stdout + stderr]).toEqual([0, ''])
  const artifacts = [...new Bun.Glob('src/__generated__/*Query.graphql.ts').scanSync(project)]
  expect(artifacts.length).toBe(fragments.length)
}, 120_000)

test('the runtime loads a record and the pages of its list again', async () => {
  const { collection_id, api_key } = service.credentials
  for (let count = 0; count < 3; count++) {
    await service.v1('POST', '/track', { collection_id, file_name: `${count}.wav` })
  }
  const env = { URL: `${service.url}/graphql`, API_KEY: api_key, PROJECT: project, COLLECTION: collection_id }
  const output = await succeed([process.execPath, 'programs/relay.ts'], { env })
  expect(JSON.parse(output)).toEqual({ type: 'Collection', nodeId: `Collection:${collection_id}`, sizes: [2, 1] })
})
