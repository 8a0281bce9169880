import type { Context } from '../../../platform/context.ts'
import { AppError, invalidInput, notFound } from '../../../platform/errors.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { idArgument } from '../../../platform/graphql/input.ts'
import { findNodes, Node, type NodeAccess } from '../../../platform/graphql/node.ts'
import { withPrice } from '../../../platform/graphql/price.ts'
import { readScope } from '../viewer.ts'

/** Maximum number of IDs of `nodes`. */
const MAX_NODES = 50
/** Points of the look-up of one ID in all tables. */
const LOOK_UP_POINTS = 5

/** A viewer without read access finds the sessions whose IDs it has. */
function nodeAccess(ctx: Context): NodeAccess {
  try {
    return { organizationId: readScope(ctx).organizationId, refusal: notFound('id') }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { organizationId: null, refusal: error }
  }
}

const countIds = ({ ids }: Readonly<Record<string, unknown>>) => (Array.isArray(ids) ? ids.length : MAX_NODES)

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'Returns any record that the viewer may see.',
    args: { id: idArgument('record', '`id` or `nodeId` of the record.') },
    ...withPrice({}, { points: LOOK_UP_POINTS }),
    resolve: async (_, { id }, ctx, info) => {
      const [node] = await findNodes(ctx, [id], info, nodeAccess(ctx))
      if (node instanceof Error) throw node
      return node as never
    },
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description: 'Returns records in the order of their IDs. Null with an error for one that the viewer may not see.',
    args: {
      ids: t.arg.idList({ required: true, description: `\`id\` or \`nodeId\` of each record. At most ${MAX_NODES}.` }),
    },
    ...withPrice(
      {},
      { items: MAX_NODES, itemsByArguments: countIds, byArguments: (args) => LOOK_UP_POINTS * countIds(args) },
    ),
    resolve: (_, { ids }, ctx, info) => {
      if (ids.length > MAX_NODES)
        throw invalidInput('ids', `exceeds the limit of ${MAX_NODES} items, has ${ids.length}`)
      return findNodes(ctx, ids, info, nodeAccess(ctx)) as never
    },
  }),
}))
