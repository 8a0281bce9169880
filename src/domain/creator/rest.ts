import { z } from 'zod'
import type { Creator } from '../../platform/db/generated/client/client.ts'
import { routes } from '../../platform/rest.ts'
import * as shape from '../../platform/shape.ts'
import { creatorShape, deletedCreatorShape, shownCreator, shownDeletedCreator } from './public.ts'
import { createCreatorInput, creatorId, listCreatorsInput, updateCreatorInput } from './schema.ts'
import { createCreator, deleteCreator, getCreator, listCreators, updateCreator } from './service.ts'

const id = shape.id('The creator.')
const answer = z.object({ creatorId: id, creator: creatorShape })
const wrapped = (creator: Creator) => ({ creatorId: creator.id, creator: shownCreator(creator) })

/** Specification, section 4, Creators. */
export const creatorRoutes = routes(
  {
    method: 'GET',
    path: '/creator',
    auth: 'key',
    operation: 'listCreators',
    summary: 'The creators of the organization, newest first.',
    query: listCreatorsInput,
    answer: z.object({ count: shape.count(), creators: z.array(creatorShape) }),
    handle: async ({ ctx, query }) => {
      const { creators, count } = await listCreators(ctx, query)
      return { count, creators: creators.map(shownCreator) }
    },
  },
  {
    method: 'GET',
    path: '/creator/:creatorId',
    auth: 'key',
    operation: 'getCreator',
    summary: 'One creator.',
    params: creatorId,
    answer,
    handle: async ({ ctx, params }) => wrapped(await getCreator(ctx, params.creatorId ?? '')),
  },
  {
    method: 'POST',
    path: '/creator',
    auth: 'key',
    operation: 'createCreator',
    summary: 'Creates a creator, and a storage folder for it.',
    body: createCreatorInput,
    answer,
    fails: ['organization_index_taken'],
    handle: async ({ ctx, body }) => wrapped(await createCreator(ctx, body)),
  },
  {
    method: 'PUT',
    path: '/creator/:creatorId',
    auth: 'key',
    operation: 'updateCreator',
    summary: 'Changes the fields of a creator that are present.',
    params: creatorId,
    body: updateCreatorInput,
    answer,
    fails: ['organization_index_taken'],
    handle: async ({ ctx, params, body }) => wrapped(await updateCreator(ctx, params.creatorId ?? '', body)),
  },
  {
    method: 'DELETE',
    path: '/creator/:creatorId',
    auth: 'key',
    operation: 'deleteCreator',
    summary: 'Deletes a creator that has neither collections nor tracks.',
    params: creatorId,
    answer: z.object({ creatorId: id, deletedCreator: deletedCreatorShape }),
    fails: ['creator_in_use'],
    handle: async ({ ctx, params }) => {
      const creator = await deleteCreator(ctx, params.creatorId ?? '')
      return { creatorId: creator.id, deletedCreator: shownDeletedCreator(creator) }
    },
  },
)
