import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
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
import type { Plugin, YogaInitialContext } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'

type Execute = (args: ExecutionArgs) => Promise<ExecutionResult>

/**
 * Maximum number of documents that are found by their text, and the maximum length of these texts. Beyond, the least
 * recently used one is parsed again.
 */
const MAX_TEXTS = 1000
const MAX_LENGTH = 16 << 20

/** A compiled operation. Its document is valid and within the limits of documents. */
export interface Compiled {
  document: DocumentNode
  execute: Execute
}

/**
 * Runs repeated operations as compiled functions, because walking the document for every field takes most of a query's
 * CPU time (`bun run bench graphql`). A document lives as long as it is in the parser's cache, or in the one here. An
 * operation seen only once is not compiled, so clients cannot fill the memory.
 */
export function createCompiledExecution() {
  /** By document and operation name: `seen` once, then compiled, or `plain` if it cannot be compiled. */
  const operations = new WeakMap<DocumentNode, Map<string, Execute | 'seen' | 'plain'>>()
  /** Documents with compiled operations, by their text. */
  const documents = new LRUCache<string, DocumentNode>({
    max: MAX_TEXTS,
    maxSize: MAX_LENGTH,
    sizeCalculation: (_, text) => text.length,
  })

  const plugin: Plugin<YogaInitialContext> = {
    onExecute({ args, context, setExecuteFn }) {
      const { document, operationName, schema } = args
      const name = operationName ?? ''
      const compiledByName = operations.get(document) ?? new Map<string, Execute | 'seen' | 'plain'>()
      operations.set(document, compiledByName)
      if (!compiledByName.has(name)) return void compiledByName.set(name, 'seen')
      const execute =
        compiledByName.get(name) === 'seen' ? compile(schema, document, operationName) : compiledByName.get(name)
      compiledByName.set(name, execute ?? 'plain')
      if (typeof execute !== 'function') return
      setExecuteFn(execute as never)
      // `persistedPlugin` has replaced a hash by its text.
      if (context.params.query) documents.set(context.params.query, document)
    },
  }

  return {
    plugin,
    /** Returns the compiled operation of a text that has run before, else null. Never a subscription. */
    find(text: string, operationName: string | null | undefined): Compiled | null {
      const document = documents.get(text)
      const execute = document && operations.get(document)?.get(operationName ?? '')
      return typeof execute === 'function' ? { document: document as DocumentNode, execute } : null
    },
  }
}

function compile(schema: GraphQLSchema, document: DocumentNode, name: string | null | undefined): Execute | 'plain' {
  const query = compileQuery(schema, document, name ?? undefined)
  const operation = getOperationAST(document, name)
  if (!isCompiledQuery(query) || !operation) return 'plain'
  const definitions = operation.variableDefinitions ?? []
  return async ({ rootValue, contextValue, variableValues }) => {
    const variables = variableValues ?? {}
    // Validated with the messages of graphql-js; the library has others.
    const errors = definitions.length > 0 ? getVariableValues(schema, definitions, variables).errors : undefined
    if (errors) return { errors }
    const result = await query.query(rootValue, contextValue, variables)
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
    nodes = sets.flatMap((set) => listFields(set, document)).filter(({ name, alias }) => (alias ?? name).value === key)
    sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
  }
  const { message, path, originalError, extensions } = error
  return new GraphQLError(message, { nodes, path, originalError, extensions })
}

function listFields({ selections }: SelectionSetNode, document: DocumentNode): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection]
    if (selection.kind === Kind.INLINE_FRAGMENT) return listFields(selection.selectionSet, document)
    const fragment = document.definitions.find(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
    ) as FragmentDefinitionNode | undefined
    return fragment ? listFields(fragment.selectionSet, document) : []
  })
}
