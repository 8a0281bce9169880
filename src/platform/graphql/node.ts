import { type GraphQLResolveInfo, isObjectType } from 'graphql'
import type { Context } from '../context.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import { findModel } from '../db/query/models.ts'
import type { Plan } from '../db/query/plan.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { parseId } from '../schema/parse.ts'
import { builder } from './builder.ts'
import { needsColumns, planType } from './plan.ts'

/** GraphQL types of the records that `node` has found. */
const typesOfNodes = new WeakMap<object, string>()

/** Interface of every record with a look-up, so that clients such as Relay can load it again by its ID alone. */
export const Node = builder.interfaceRef<{ id: string }>('Node').implement({
  description: 'A record that `node` returns by its ID.',
  resolveType: (record) => typesOfNodes.get(record),
  fields: (t) => ({
    id: t.exposeID('id', { description: 'ID of the record. UUID, the same as in /v1.' }),
    nodeId: t.id({
      description: 'ID of the record with its type. `node` finds it in fewer steps than by `id`.',
      ...needsColumns('id'),
      resolve: ({ id }, _, __, { parentType }) => `${parentType.name}:${id}`,
    }),
  }),
})

interface NodeType {
  /** The table of the IDs. */
  model: Prisma.ModelName
  /** @throws AppError for a viewer who may not read the record */
  permit?: (ctx: Context) => unknown
  find: (ctx: Context, id: string, args: { plan: Plan }) => Promise<object | null>
  /** Whether the ID is a credential: its record is found in every organization and without a key. */
  isCredential?: boolean
  /** The GraphQL type of a record, where a table has several. */
  toType?: (record: never) => string
}

/** By the name of the GraphQL type. */
const nodeTypes = new Map<string, NodeType>()

/** Makes the records of a type, or of several types with one table, known to `node`. */
export function defineNode(types: string | readonly string[], nodeType: NodeType): void {
  for (const type of [types].flat()) nodeTypes.set(type, nodeType)
}

/** The records that a viewer may look up. */
export interface NodeAccess {
  /** Null for a viewer who may only use IDs that are credentials. */
  organizationId: string | null
  /** The error for every record that the viewer may not see, does not exist, or has another type. */
  refusal: AppError
}

interface NamedNode {
  type: string | undefined
  id: string
}

/**
 * Finds records of any type by `id` or `nodeId`. IDs without a type take one statement more, for all of them.
 * @returns a record or an error for each ID
 * @throws AppError `invalid_input` for what is no ID
 */
export async function findNodes(
  ctx: Context,
  ids: readonly string[],
  info: GraphQLResolveInfo,
  access: NodeAccess,
): Promise<(object | Error)[]> {
  const named = readNodeIds(ids, access)
  const untyped = named.filter(({ type }) => type === undefined).map(({ id }) => id)
  const types = untyped.length > 0 ? await findTypes(ctx, untyped, access) : new Map<string, string>()
  return Promise.all(
    named.map(({ type, id }) =>
      findNode(ctx, { type: type ?? types.get(id), id }, type !== undefined, info, access).catch(
        (error: Error) => error,
      ),
    ),
  )
}

/** A viewer without read access learns nothing about the form of an ID. */
function readNodeIds(ids: readonly string[], { organizationId, refusal }: NodeAccess): NamedNode[] {
  try {
    return ids.map(readNodeId)
  } catch (error) {
    throw organizationId === null ? refusal : error
  }
}

function readNodeId(text: string): NamedNode {
  const [, type, id = text] = /^(\w+):(.*)$/s.exec(text) ?? []
  return { type, id: parseId('id', id).toLowerCase() }
}

const refusedCodes: readonly ErrorCode[] = ['not_found', 'forbidden', 'unauthenticated']

/** @param isStated whether the client stated the type, which is then the type of the record */
async function findNode(
  ctx: Context,
  { type = '', id }: NamedNode,
  isStated: boolean,
  info: GraphQLResolveInfo,
  { refusal }: NodeAccess,
): Promise<object> {
  const nodeType = nodeTypes.get(type)
  if (!nodeType) throw refusal
  try {
    nodeType.permit?.(ctx)
    const record = await nodeType.find(ctx, id, { plan: planNode(type, nodeType, info, ctx) })
    const recordType = record && (nodeType.toType?.(record as never) ?? type)
    if (!record || !recordType || (isStated && recordType !== type)) throw refusal
    typesOfNodes.set(record, recordType)
    return record
  } catch (error) {
    throw error instanceof AppError && refusedCodes.includes(error.code) ? refusal : error
  }
}

/** The columns and relations of the selected fields. All columns where the type is known only from the record. */
function planNode(name: string, { toType }: NodeType, info: GraphQLResolveInfo, ctx: Context): Plan {
  const type = info.schema.getType(name)
  return toType || !isObjectType(type) ? { columns: null, children: new Map() } : planType(type, info, ctx)
}

/** Returns the type of each ID that a record of the organization has, or a session of any. */
async function findTypes(ctx: Context, ids: string[], { organizationId }: NodeAccess): Promise<Map<string, string>> {
  const text = organizationId === null ? credentialTypes() : allTypes()
  const values = organizationId === null ? [ids] : [ids, organizationId]
  const rows = await ctx.reader.query({ text, values }, ctx.signal)
  return new Map(rows.map(([type, id]) => [String(id), String(type)]))
}

let textOfAll: string | undefined
const allTypes = () => (textOfAll ??= writeUnion([...nodeTypes]))
const credentialTypes = () => writeUnion([...nodeTypes].filter(([, { isCredential }]) => isCredential))

/** A look-up by primary key in each table. */
function writeUnion(types: [string, NodeType][]): string {
  const byModel = new Map(types.map(([type, nodeType]) => [nodeType.model, { type, ...nodeType }]))
  return [...byModel.values()]
    .map(({ type, model, isCredential }) => {
      const { table, columns } = findModel(model)
      const owner = columns.get('organizationId') ?? columns.get('id')
      const isOwned = isCredential ? '' : ` AND ${owner} = $2::uuid`
      return `SELECT '${type}', id FROM ${table} WHERE id = ANY($1::uuid[])${isOwned}`
    })
    .join(' UNION ALL ')
}
