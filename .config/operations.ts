// Types of the operations of the web pages (*.graphql), by GraphQL Code Generator.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codegen } from '@graphql-codegen/core'
import * as typedDocumentNode from '@graphql-codegen/typed-document-node'
import * as typescriptOperations from '@graphql-codegen/typescript-operations'
import { parse } from 'graphql'
import { root } from './once.ts'

interface Options {
  sdl: string
  /** Paths of the operations. */
  paths: readonly string[]
  filename: string
  /** Whether a document is its text instead of its parsed form. */
  isText?: boolean
}

/** @returns TypeScript with the types of variables and results, and a typed document of each operation */
export function typesOf({ sdl, paths, filename, isText = false }: Options): Promise<string> {
  const config = {
    enumsAsTypes: true,
    onlyOperationTypes: true,
    useTypeImports: true,
    scalars: { DateTime: 'string', JSON: 'Record<string, unknown>' },
    ...(isText && { documentMode: 'string' }),
  }
  return codegen({
    filename,
    schema: parse(sdl),
    documents: paths.map((location) => ({ location, document: parse(readFileSync(location, 'utf8')) })),
    config,
    plugins: [{ typescriptOperations: {} }, { typedDocumentNode: {} }],
    pluginMap: { typescriptOperations, typedDocumentNode },
  })
}

/** Writes the types of one page's operations. All paths are relative to the root. */
export async function generateOperations(schema: string, folder: string, paths: readonly string[]): Promise<void> {
  const filename = join(root, folder, 'operations.ts')
  const sdl = readFileSync(join(root, schema), 'utf8')
  const text = await typesOf({ sdl, paths: paths.map((path) => join(root, path)).sort(), filename, isText: true })
  mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(filename, text)
}
