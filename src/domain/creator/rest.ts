import type { Creator } from '../../platform/db/generated/client/client.ts'
import { routes } from '../../platform/rest.ts'
import { createCreator, deleteCreator, getCreator, listCreators, updateCreator } from './service.ts'

const shown = ({ id, organizationId, folderId, organizationIndex, metadata, createdAt, updatedAt }: Creator) => ({
  id,
  organizationId,
  folderId,
  organizationIndex,
  metadata,
  createdAt,
  updatedAt,
})
const wrapped = (creator: Creator) => ({ creatorId: creator.id, creator: shown(creator) })

/** Specification, section 4, Creators. */
export const creatorRoutes = routes(
  {
    method: 'GET',
    path: '/creator',
    auth: 'key',
    handle: async ({ ctx, query }) => {
      const { creators, count } = await listCreators(ctx, query)
      return { count, creators: creators.map(shown) }
    },
  },
  {
    method: 'GET',
    path: '/creator/:creatorId',
    auth: 'key',
    handle: async ({ ctx, params }) => wrapped(await getCreator(ctx, params.creatorId ?? '')),
  },
  {
    method: 'POST',
    path: '/creator',
    auth: 'key',
    handle: async ({ ctx, body }) => wrapped(await createCreator(ctx, body)),
  },
  {
    method: 'PUT',
    path: '/creator/:creatorId',
    auth: 'key',
    handle: async ({ ctx, params, body }) => wrapped(await updateCreator(ctx, params.creatorId ?? '', body)),
  },
  {
    method: 'DELETE',
    path: '/creator/:creatorId',
    auth: 'key',
    handle: async ({ ctx, params }) => {
      const { createdAt: _, updatedAt: __, ...deletedCreator } = shown(await deleteCreator(ctx, params.creatorId ?? ''))
      return { creatorId: deletedCreator.id, deletedCreator }
    },
  },
)
