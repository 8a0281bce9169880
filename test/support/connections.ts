import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import type { Parents } from './lists.ts'

/** A field of the schema that shows a page of a list. */
export interface Connection {
  /** Type and field, as `Collection.tracks`. */
  name: string
  parent: GraphQLObjectType
  field: GraphQLField<unknown, unknown>
  /** Arguments of each order that it accepts, the default first. */
  orders: string[]
}

/** Finds all connections of a schema: fields of any type whose type has edges and a page's position. */
export function findConnections(schema: GraphQLSchema): Connection[] {
  return Object.values(schema.getTypeMap()).flatMap((parent) => {
    if (!isObjectType(parent) || parent.name.startsWith('__')) return []
    return Object.values(parent.getFields()).flatMap((field): Connection[] => {
      const page = getNamedType(field.type)
      if (!isObjectType(page) || !('edges' in page.getFields()) || !('pageInfo' in page.getFields())) return []
      return [{ name: `${parent.name}.${field.name}`, parent, field, orders: ordersOf(field) }]
    })
  })
}

function ordersOf(field: GraphQLField<unknown, unknown>): string[] {
  const directions = ['ASC', 'DESC']
  const type = (name: string) => field.args.find((argument) => argument.name === name)?.type
  if (type('direction')) return ['', ...directions.map((direction) => `direction: ${direction}`)]
  const order = type('orderBy')
  if (!order) return ['']
  const input = getNamedType(order)
  const fields = isInputObjectType(input) && getNamedType(input.getFields().field?.type)
  if (!isEnumType(fields)) throw new Error(`${field.name} has an order of another form`)
  const names = fields.getValues().map(({ name }) => name)
  return [
    '',
    ...names.flatMap((name) => directions.map((direction) => `orderBy: { field: ${name}, direction: ${direction} }`)),
  ]
}

/**
 * Returns an operation that shows a page of a connection. Its variables are those of a page.
 * @param parents records that have lists of their own
 * @param which of the parents of its type. Defaults to the first
 */
export function pageOperation(
  schema: GraphQLSchema,
  { name, parent, field, orders: [defaultOrder = ''] }: Connection,
  parents: Parents,
  order = defaultOrder,
  which = 0,
): string {
  const args = `first: $first, after: $after, last: $last, before: $before, ${order}`
  const page = `page: ${field.name}(${args}) { edges { cursor node { id } } pageInfo {
    hasNextPage hasPreviousPage startCursor endCursor } }`
  const head = 'query ($first: Int, $after: String, $last: Int, $before: String)'
  const query = schema.getQueryType()
  if (parent === query) return `${head} { ${page} }`
  const id = parents[parent.name]?.[which]
  const lookUp = Object.values(query?.getFields() ?? {}).find(({ type, args: argumentList }) => {
    const required = argumentList.filter(isRequiredArgument).map((argument) => argument.name)
    return getNamedType(type) === parent && required.join() === 'id'
  })
  if (!id || !lookUp) throw new Error(`${name} cannot be reached: fill it in test/support/lists.ts`)
  return `${head} { parent: ${lookUp.name}(id: "${id}") { ${page} } }`
}
