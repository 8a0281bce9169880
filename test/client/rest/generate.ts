// `bun test/client/rest/generate.ts`: types of /v1, made by openapi-typescript from the document that the service
// publishes, as a client's build would make them; examples are left out, which makes the file half as long.
import { join } from 'node:path'
import { plugin } from 'bun'

export const generatedFile = join(import.meta.dir, '../../../src/client/rest.gen.ts')

/** @param document as `/openapi.json` serves it */
export async function generateTypes(document: object): Promise<string> {
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

if (import.meta.main) {
  const { composeDocument, exampleAddresses } = await import('../../../src/roles/gateway/openapi/document.ts')
  await Bun.write(generatedFile, await generateTypes(composeDocument(exampleAddresses)))
  process.exit(0)
}
