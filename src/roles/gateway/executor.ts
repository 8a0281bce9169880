import type { DocumentNode, ExecutionArgs, GraphQLSchema } from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import type { Plugin } from 'graphql-yoga'

type Execute = (args: ExecutionArgs) => unknown

/** By document and operation name: `seen` at first, then compiled; `plain` where that is not possible. */
const operations = new WeakMap<DocumentNode, Map<string, Execute | 'seen' | 'plain'>>()

/**
 * Runs operations that come again as compiled functions: walking the document anew for every field is what most of a
 * query's processor time goes to (`bun run bench graphql`). A document lives as long as the parser's own cache keeps
 * it. What is seen only once is not worth compiling, and nobody can fill the memory with it.
 */
export const compiledExecution: Plugin = {
  onExecute({ args, setExecuteFn }) {
    const { document, operationName, schema } = args
    const name = operationName ?? ''
    const known = operations.get(document) ?? new Map<string, Execute | 'seen' | 'plain'>()
    operations.set(document, known)
    if (!known.has(name)) return void known.set(name, 'seen')
    const execute = known.get(name) === 'seen' ? compile(schema, document, operationName) : known.get(name)
    known.set(name, execute ?? 'plain')
    if (typeof execute === 'function') setExecuteFn(execute as never)
  },
}

function compile(schema: GraphQLSchema, document: DocumentNode, name: string | null | undefined): Execute | 'plain' {
  const query = compileQuery(schema, document, name ?? undefined)
  if (!isCompiledQuery(query)) return 'plain'
  return ({ rootValue, contextValue, variableValues }) => query.query(rootValue, contextValue, variableValues ?? {})
}
