import {
  type GraphQLArgument,
  type GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
} from 'graphql'

/**
 * Returns a function that names a field of a use case as the client wrote it: `trackId` of a use case is the argument `id` of
 * `track(id:)`, and `variants` is `variant` in the input of `createShareKey`. Names of fields below the first level, and
 * names that no argument resembles, stay as they are.
 */
export function createArgumentNames(schema: GraphQLSchema, { nodes, path }: GraphQLError): (field: string) => string {
  const [node] = nodes ?? []
  if (node?.kind !== Kind.FIELD || path?.length !== 1) return (field) => field
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const definition = roots.map((root) => root?.getFields()[node.name.value]).find((field) => field !== undefined)
  const names = new Set(definition?.args.flatMap(listNames))
  return (field) => {
    if (names.has(field)) return field
    const [, record] = /^(\w+)Id$/.exec(field) ?? []
    if (record && names.has('id') && node.name.value.toLowerCase().includes(record.toLowerCase())) return 'id'
    const single = field.replace(/s$/, '')
    return names.has(single) ? single : field
  }
}

/** The name of an argument, and those of its fields. */
function listNames({ name, type }: GraphQLArgument): string[] {
  const named = getNamedType(type)
  return isInputObjectType(named) ? [name, ...Object.keys(named.getFields())] : [name]
}
