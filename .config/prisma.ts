// The Prisma client and the types of Pothos, by the generators that the Prisma command runs. The command itself would install 150 MB
// of tools that nothing here uses: its studio, a development server with databases of its own, and drivers.
import { join } from 'node:path'
import { PrismaClientTsGenerator } from '@prisma/client-generator-ts'
import { type GeneratorRegistry, getGenerators, loadSchemaContext } from '@prisma/internals'
import { root } from './once.ts'

const registry: GeneratorRegistry = {
  'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() },
  'prisma-pothos-types': {
    type: 'rpc',
    generatorPath: join(root, 'node_modules/@pothos/plugin-prisma/bin/generator.js'),
    isNode: true,
  },
}

/** Generates what `schema.prisma` names. @throws Error for a schema with a mistake */
export async function generatePrisma(): Promise<void> {
  const schemaPath = { cliProvidedPath: join(root, 'schema.prisma') }
  const schemaContext = await loadSchemaContext({ schemaPath, cwd: root, printLoadMessage: false })
  const generators = await getGenerators({ schemaContext, registry, cliCommand: 'generate' })
  try {
    for (const generator of generators) await generator.generate()
  } finally {
    for (const generator of generators) generator.stop()
  }
}
