// `bun test/client/generate.ts`: types of the example operations, made by GraphQL Code Generator from the schema that
// the service publishes, as a front end's build would make them.
import { join } from 'node:path'
import { Glob } from 'bun'
import { typesOf } from '../../.config/operations.ts'

const operations = join(import.meta.dir, 'operations')
export const generatedFile = join(import.meta.dir, 'types.gen.ts')

/** @param sdl the schema definition language, as `/graphql/schema.graphql` serves it */
export function generateTypes(sdl: string): Promise<string> {
  const names = [...new Glob('*.graphql').scanSync(operations)].sort()
  return typesOf({ sdl, paths: names.map((name) => join(operations, name)), filename: generatedFile })
}

if (import.meta.main) {
  const { sdl } = await import('../../src/roles/gateway/sdl.ts')
  await Bun.write(generatedFile, await generateTypes(sdl))
  process.exit(0)
}
