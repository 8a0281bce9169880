// `bun .config/client-types.ts`: types of /v1 for src/client, and of the operations of test/client, made from what the
// service publishes as a client's build would make them. Only building, checking and testing the client needs them.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Glob, plugin } from 'bun'
import { once, root } from './once.ts'
import { typesOf } from './operations.ts'

const SCHEMA = 'src/roles/gateway/schema.graphql'
const OPERATIONS = 'test/client/operations'

/** Sources of a folder, without generated ones. */
const sourcesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith('.ts') && !/[\\/]generated[\\/]/.test(path) && statSync(join(root, path)).isFile())

/** @param document as `/openapi.json` serves it, without its examples, which make the types twice as long */
async function restTypes(document: object): Promise<string> {
  // TypeScript 7 has no compiler API: the generator is given that of its predecessor.
  plugin({
    name: 'compiler-api',
    setup: (build) => {
      build.module('typescript', async () => {
        const compiler = await import('typescript-5')
        return { exports: { ...compiler }, loader: 'object' }
      })
    },
  })
  const { astToString, default: openapiTypescript } = await import('openapi-typescript')
  const withoutExamples = JSON.stringify(document, (key, value) => (/^examples?$/.test(key) ? undefined : value))
  // Fields with a default are optional.
  return astToString(await openapiTypescript(withoutExamples, { defaultNonNullable: false }))
}

const service = ['domain', 'platform', 'roles/gateway'].flatMap((folder) => sourcesIn(join('src', folder)))
await once('src/client/generated', ['bun.lock', 'schema.prisma', '.config/client-types.ts', ...service], async () => {
  const { composeDocument, exampleAddresses } = await import('../src/roles/gateway/openapi/document.ts')
  const types = await restTypes(composeDocument(exampleAddresses))
  await Bun.write(join(root, 'src/client/generated/rest.ts'), types)
})

const operations = [...new Glob('*.graphql').scanSync(join(root, OPERATIONS))]
  .sort()
  .map((name) => join(OPERATIONS, name))
await once('test/client/generated', ['bun.lock', '.config/client-types.ts', SCHEMA, ...operations], async () => {
  const filename = join(root, 'test/client/generated/operations.ts')
  const sdl = await Bun.file(join(root, SCHEMA)).text()
  await Bun.write(filename, await typesOf({ sdl, paths: operations.map((path) => join(root, path)), filename }))
})
process.exit(0)
