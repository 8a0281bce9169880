import {
  type DocumentNode,
  type ExecutionArgs,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import type { Plugin } from 'graphql-yoga'

type Execute = (args: ExecutionArgs) => unknown

/** By document and operation name: `seen` once, then compiled, or `plain` if it cannot be compiled. */
const operations = new WeakMap<DocumentNode, Map<string, Execute | 'seen' | 'plain'>>()

/**
 * Runs repeated operations as compiled functions, because walking the document for every field takes most of a query's
 * CPU time (`bun run bench graphql`). A document lives as long as it is in the parser's cache. An operation seen only
 * once is not compiled, so clients cannot fill the memory.
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
  const operation = getOperationAST(document, name)
  if (!isCompiledQuery(query) || !operation) return 'plain'
  const definitions = operation.variableDefinitions ?? []
  return async ({ rootValue, contextValue, variableValues }) => {
    const given = variableValues ?? {}
    // Validated with the messages of graphql-js; the library has others.
    const errors = definitions.length > 0 ? getVariableValues(schema, definitions, given).errors : undefined
    if (errors) return { errors }
    const result = await query.query(rootValue, contextValue, given)
    return result.errors
      ? { ...result, errors: result.errors.map((error) => located(error, document, operation)) }
      : result
  }
}

/** A compiled operation only reports the path of an error in the answer. Adds the location in the document. */
function located(error: GraphQLError, document: DocumentNode, operation: OperationDefinitionNode): GraphQLError {
  let nodes: FieldNode[] = []
  let sets: readonly SelectionSetNode[] = [operation.selectionSet]
  for (const key of (error.path ?? []).filter((part) => typeof part === 'string')) {
    nodes = sets.flatMap((set) => fieldsOf(set, document)).filter(({ name, alias }) => (alias ?? name).value === key)
    sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
  }
  const { message, path, originalError, extensions } = error
  return new GraphQLError(message, { nodes, path, originalError, extensions })
}

function fieldsOf({ selections }: SelectionSetNode, document: DocumentNode): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection]
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet, document)
    const fragment = document.definitions.find(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
    ) as FragmentDefinitionNode | undefined
    return fragment ? fieldsOf(fragment.selectionSet, document) : []
  })
}
