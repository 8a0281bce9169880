// `bun test/client/generate.ts`: types of the example operations, made by GraphQL Code Generator from the schema that
// the service publishes, as a front end's build would make them.
import { join } from 'node:path'
import { codegen } from '@graphql-codegen/core'
import * as typedDocumentNode from '@graphql-codegen/typed-document-node'
import * as typescriptOperations from '@graphql-codegen/typescript-operations'
import { Glob } from 'bun'
import { parse } from 'graphql'

const operations = join(import.meta.dir, 'operations')
export const generatedFile = join(import.meta.dir, 'types.gen.ts')

/** @param sdl the schema definition language, as `/graphql/schema.graphql` serves it */
export async function generateTypes(sdl: string): Promise<string> {
  const names = [...new Glob('*.graphql').scanSync(operations)].sort()
  const documents = await Promise.all(
    names.map(async (location) => ({ location, document: parse(await Bun.file(join(operations, location)).text()) })),
  )
  const config = {
    enumsAsTypes: true,
    onlyOperationTypes: true,
    useTypeImports: true,
    scalars: { DateTime: 'string', JSON: 'Record<string, unknown>' },
  }
  return codegen({
    filename: generatedFile,
    schema: parse(sdl),
    documents,
    config,
    plugins: [{ typescriptOperations: {} }, { typedDocumentNode: {} }],
    pluginMap: { typescriptOperations, typedDocumentNode },
  })
}

if (import.meta.main) {
  const { sdl } = await import('../../src/roles/gateway/sdl.ts')
  await Bun.write(generatedFile, await generateTypes(sdl))
  process.exit(0)
}
