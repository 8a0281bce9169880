import { z } from 'zod'
import type { Creator } from '../../platform/db/generated/client/client.ts'
import { route } from '../../platform/http/rest.ts'
import { id } from '../../platform/schema/fields.ts'
import { pageShape, toRest } from '../../platform/schema/record.ts'
import { organizationScope } from '../access/viewer.ts'
import {
  createCreatorInput,
  creatorFields,
  creatorId,
  creatorShape,
  deletedCreatorFields,
  deletedCreatorShape,
  listCreatorsInput,
  updateCreatorInput,
} from './record.ts'
import { createCreator, deleteCreator, getCreator, listCreators, updateCreator } from './service.ts'

const creatorIdShape = id({ description: 'ID of the creator.' }).restShape
const answer = z.object({ creatorId: creatorIdShape, creator: creatorShape })
const wrapped = (creator: Creator) => ({ creatorId: creator.id, creator: toRest(creatorFields, creator) })

/** Specification, section 4, Creators. */
export const creatorRoutes = [
  route({
    method: 'GET',
    path: '/creator',
    auth: 'key',
    operation: 'listCreators',
    summary: 'Lists the creators of the organization, newest first.',
    query: listCreatorsInput,
    answer: pageShape('creators', creatorShape),
    handle: async ({ ctx, query }) => {
      const { creators, count } = await listCreators(ctx, query)
      return { count, creators: creators.map((creator) => toRest(creatorFields, creator)) }
    },
  }),
  route({
    method: 'GET',
    path: '/creator/:creatorId',
    auth: 'key',
    operation: 'getCreator',
    summary: 'Returns a creator.',
    params: creatorId,
    answer,
    handle: async ({ ctx, params }) => wrapped(await getCreator(ctx, params.creatorId)),
  }),
  route({
    method: 'POST',
    path: '/creator',
    auth: 'key',
    permit: organizationScope,
    operation: 'createCreator',
    summary: 'Creates a creator and its storage folder.',
    body: createCreatorInput,
    answer,
    fails: ['organization_index_taken'],
    handle: async ({ ctx, body }) => wrapped(await createCreator(ctx, body)),
  }),
  route({
    method: 'PUT',
    path: '/creator/:creatorId',
    auth: 'key',
    operation: 'updateCreator',
    summary: 'Changes the given fields of a creator.',
    params: creatorId,
    body: updateCreatorInput,
    answer,
    fails: ['organization_index_taken'],
    handle: async ({ ctx, params, body }) => wrapped(await updateCreator(ctx, params.creatorId, body)),
  }),
  route({
    method: 'DELETE',
    path: '/creator/:creatorId',
    auth: 'key',
    permit: organizationScope,
    operation: 'deleteCreator',
    summary: 'Deletes a creator that has no collections and no tracks.',
    params: creatorId,
    answer: z.object({ creatorId: creatorIdShape, deletedCreator: deletedCreatorShape }),
    fails: ['creator_in_use'],
    handle: async ({ ctx, params }) => {
      const creator = await deleteCreator(ctx, params.creatorId)
      return { creatorId: creator.id, deletedCreator: toRest(deletedCreatorFields, creator) }
    },
  }),
]
