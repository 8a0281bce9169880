import type { JSONObject, JSONValue, Tool } from '@modelcontextprotocol/server'
import {
  type DocumentNode,
  GraphQLEnumType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  TypeInfo,
  typeFromAST,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { ToolSource } from './tools.ts'

type JsonSchema = JSONObject

/** JSON Schema of the scalars of the schema. */
const scalars: Record<string, JsonSchema> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  JSON: { type: 'object' },
}

/**
 * Describes a tool by the schema: its description is that of the field that the operation selects, and its arguments are the
 * variables, with the types and descriptions of the places where they are used.
 * @throws Error for an operation that does not fit the schema
 */
export function describeTool({ title, operation, hint, ...source }: ToolSource, schema: GraphQLSchema): Tool {
  const document = parse(operation)
  const [definition] = document.definitions as OperationDefinitionNode[]
  if (!definition?.name) throw new Error(`the operation of the tool "${title}" has no name`)
  const { places, field } = readPlaces(document, schema)
  const isReading = definition.operation === 'query'
  const variables = (definition.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => {
    const name = variable.name.value
    const inputType = typeFromAST(schema, type as never) as GraphQLInputType
    const value = defaultValue && { default: valueFromASTUntyped(defaultValue) as JSONValue }
    const isRequired = inputType instanceof GraphQLNonNull && !defaultValue
    return { name, isRequired, schema: { ...toJsonSchema(getNullableType(inputType)), ...places.get(name), ...value } }
  })
  return {
    name: definition.name.value,
    title,
    description: [field ?? `${title}.`, hint].filter(Boolean).join(' '),
    inputSchema: toObjectSchema(variables),
    annotations: {
      readOnlyHint: isReading,
      destructiveHint: source.isDestructive ?? false,
      openWorldHint: source.isOpenWorld ?? false,
    },
  }
}

/** Finds the descriptions of the arguments and input fields that get a variable, and that of the first field. */
function readPlaces(document: DocumentNode, schema: GraphQLSchema) {
  const places = new Map<string, { description: string }>()
  let field: string | undefined
  const info = new TypeInfo(schema)
  const note = (value: { kind: Kind; name?: { value: string } }, description?: string | null) => {
    if (value.kind === Kind.VARIABLE && value.name && description) places.set(value.name.value, { description })
  }
  visit(
    document,
    visitWithTypeInfo(info, {
      Field: () => {
        field ??= info.getFieldDef()?.description ?? ''
      },
      Argument: ({ value }) => note(value, info.getArgument()?.description),
      ObjectField: ({ name, value }) => {
        const parent = getNullableType(info.getParentInputType())
        note(value, isInputObjectType(parent) ? parent.getFields()[name.value]?.description : null)
      },
    }),
  )
  return { places, field: field || undefined }
}

interface Property {
  name: string
  isRequired: boolean
  schema: JsonSchema
}

const toObjectSchema = (properties: readonly Property[]) => ({
  type: 'object' as const,
  properties: Object.fromEntries(properties.map(({ name, schema }) => [name, schema])),
  required: properties.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  additionalProperties: false,
})

function toJsonSchema(type: GraphQLNullableType & GraphQLInputType): JsonSchema {
  if (type instanceof GraphQLList)
    return { type: 'array', items: toJsonSchema(getNullableType(type.ofType as GraphQLInputType)) }
  if (type instanceof GraphQLEnumType) return { type: 'string', enum: type.getValues().map(({ name }) => name) }
  if (!isInputObjectType(type)) return requireScalar(type.name)
  const fields = Object.values(type.getFields()).map(({ name, type, description }) => {
    const isRequired = type instanceof GraphQLNonNull
    const schema = toJsonSchema(getNullableType(type))
    return {
      name,
      isRequired,
      schema: { ...(isRequired ? schema : orNull(schema)), ...(description && { description }) },
    }
  })
  return toObjectSchema(fields)
}

/** Null clears a value. */
const orNull = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  type: [schema.type as string, 'null'],
  ...(schema.enum !== undefined && { enum: [...(schema.enum as string[]), null] }),
})

function requireScalar(name: string): JsonSchema {
  const schema = scalars[name]
  if (!schema) throw new Error(`the scalar ${name} has no form in JSON Schema`)
  return schema
}
