import { type Fixtures, rights } from './operations.ts'

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As the route is written. */
  path: string
  /** Which of several ways to ask it. */
  way?: string
  /** What stands in the place of the path's parameter. */
  id?: (fixtures: Fixtures) => string | Promise<string>
  body?: (fixtures: Fixtures) => object
  may: string
}

/** Every route of /v1, each with who may use it. The test fails where one is missing. */
export const calls: Call[] = [
  {
    method: 'POST',
    path: '/v1/api_key',
    may: rights.wholeWrite,
    body: () => ({ title: 't', api_key_type_id: 'player' }),
  },
  {
    method: 'POST',
    path: '/v1/api_key',
    way: 'an api key',
    may: 'ufffffffffff',
    body: () => ({ title: 't', api_key_type_id: 'api' }),
  },
  {
    method: 'GET',
    path: '/v1/organization/:organizationId',
    may: rights.wholeRead,
    id: ({ organization }) => organization,
  },
  {
    method: 'PUT',
    path: '/v1/organization/:organizationId',
    may: 'uofffffoofnn',
    id: ({ organization }) => organization,
    body: () => ({ name: 'Demo' }),
  },
  {
    method: 'POST',
    path: '/v1/organization/:organizationId/cover',
    may: 'uofffffoofnn',
    id: ({ organization }) => organization,
  },
  { method: 'GET', path: '/v1/creator', may: rights.ownList },
  { method: 'GET', path: '/v1/creator/:creatorId', way: 'inside', may: 'uonofffooonn', id: ({ creator }) => creator },
  {
    method: 'GET',
    path: '/v1/creator/:creatorId',
    way: 'outside',
    may: rights.readOutside,
    id: ({ otherCreator }) => otherCreator,
  },
  {
    method: 'POST',
    path: '/v1/creator',
    may: rights.wholeWrite,
    body: ({ newName }) => ({ organization_index: newName() }),
  },
  {
    method: 'PUT',
    path: '/v1/creator/:creatorId',
    way: 'inside',
    may: 'uonofffoofnn',
    id: ({ creator }) => creator,
    body: () => ({ metadata: {} }),
  },
  {
    method: 'PUT',
    path: '/v1/creator/:creatorId',
    way: 'outside',
    may: rights.writeOutside,
    id: ({ otherCreator }) => otherCreator,
    body: () => ({ metadata: {} }),
  },
  { method: 'DELETE', path: '/v1/creator/:creatorId', may: rights.wholeWriteOne, id: ({ newCreator }) => newCreator() },
  { method: 'GET', path: '/v1/variant', may: rights.ownList },
  {
    method: 'GET',
    path: '/v1/variant/:variantId',
    may: rights.readInside,
    id: ({ organizationVariant }) => organizationVariant,
  },
  { method: 'GET', path: '/v1/collection', may: rights.ownList },
  {
    method: 'GET',
    path: '/v1/collection/:collectionId',
    way: 'inside',
    may: rights.readInside,
    id: ({ collection }) => collection,
  },
  {
    method: 'GET',
    path: '/v1/collection/:collectionId',
    way: 'outside',
    may: rights.readOutside,
    id: ({ otherCollection }) => otherCollection,
  },
  { method: 'POST', path: '/v1/collection', may: 'uofofffoofoo', body: () => ({ title: 't' }) },
  {
    method: 'PUT',
    path: '/v1/collection/:collectionId',
    way: 'inside',
    may: rights.writeInside,
    id: ({ collection }) => collection,
    body: () => ({ title: 't' }),
  },
  {
    method: 'PUT',
    path: '/v1/collection/:collectionId',
    way: 'outside',
    may: rights.writeOutside,
    id: ({ otherCollection }) => otherCollection,
    body: () => ({ title: 't' }),
  },
  {
    method: 'DELETE',
    path: '/v1/collection/:collectionId',
    may: rights.writeOutside,
    id: ({ newCollection }) => newCollection(),
  },
  {
    method: 'POST',
    path: '/v1/collection/:collectionId/cover',
    way: 'inside',
    may: rights.writeInside,
    id: ({ collection }) => collection,
  },
  {
    method: 'POST',
    path: '/v1/collection/:collectionId/cover',
    way: 'outside',
    may: rights.writeOutside,
    id: ({ otherCollection }) => otherCollection,
  },
  {
    method: 'GET',
    path: '/v1/collection/:collectionId/track',
    way: 'inside',
    may: rights.readInside,
    id: ({ collection }) => collection,
  },
  {
    method: 'GET',
    path: '/v1/collection/:collectionId/track',
    way: 'outside',
    may: rights.readOutside,
    id: ({ otherCollection }) => otherCollection,
  },
  {
    method: 'POST',
    path: '/v1/track',
    may: rights.writeInside,
    body: ({ collection }) => ({ collection_id: collection, file_name: 'a.wav' }),
  },
  { method: 'GET', path: '/v1/track/:trackId', way: 'inside', may: rights.readInside, id: ({ track }) => track },
  {
    method: 'GET',
    path: '/v1/track/:trackId',
    way: 'outside',
    may: rights.readOutside,
    id: ({ otherTrack }) => otherTrack,
  },
  {
    method: 'PUT',
    path: '/v1/track/:trackId',
    way: 'inside',
    may: rights.writeInside,
    id: ({ track }) => track,
    body: () => ({ player_title: 't' }),
  },
  {
    method: 'PUT',
    path: '/v1/track/:trackId',
    way: 'outside',
    may: rights.writeOutside,
    id: ({ otherTrack }) => otherTrack,
    body: () => ({ player_title: 't' }),
  },
  {
    method: 'DELETE',
    path: '/v1/track/:trackId',
    way: 'inside',
    may: rights.writeInside,
    id: ({ newTrack }) => newTrack(),
  },
  {
    method: 'DELETE',
    path: '/v1/track/:trackId',
    way: 'outside',
    may: rights.writeOutside,
    id: ({ newTrack }) => newTrack('outside'),
  },
  {
    method: 'POST',
    path: '/v1/track/:trackId/cover',
    way: 'inside',
    may: rights.writeInside,
    id: ({ track }) => track,
  },
  {
    method: 'POST',
    path: '/v1/track/:trackId/cover',
    way: 'outside',
    may: rights.writeOutside,
    id: ({ otherTrack }) => otherTrack,
  },
  {
    method: 'POST',
    path: '/v1/track/:trackId/variant',
    way: 'inside',
    may: rights.writeInside,
    id: ({ newTrack }) => newTrack(),
    body: ({ newName }) => ({ variant_type_id: 'transcode', index: newName() }),
  },
  {
    method: 'POST',
    path: '/v1/track/:trackId/variant',
    way: 'outside',
    may: rights.writeOutside,
    id: ({ newTrack }) => newTrack('outside'),
    body: ({ newName }) => ({ variant_type_id: 'transcode', index: newName() }),
  },
  {
    method: 'POST',
    path: '/v1/track/:trackId/rebuild',
    way: 'inside',
    may: rights.writeInside,
    id: ({ newTrack }) => newTrack(),
  },
  {
    method: 'POST',
    path: '/v1/track/:trackId/rebuild',
    way: 'outside',
    may: rights.writeOutside,
    id: ({ newTrack }) => newTrack('outside'),
  },
  {
    method: 'POST',
    path: '/v1/upload_session',
    may: 'uooooffoofnn',
    body: ({ collection }) => ({ collection_id: collection }),
  },
  // The id is the credential.
  {
    method: 'GET',
    path: '/v1/upload_session/:uploadSessionId',
    may: rights.anybody,
    id: ({ newSession }) => newSession(),
  },
  {
    method: 'POST',
    path: '/v1/upload/:uploadSessionId/track',
    may: rights.anybody,
    id: ({ newSession }) => newSession(),
    body: () => ({ file_name: 'a.wav' }),
  },
  { method: 'GET', path: '/v1/event', may: rights.ownList },
]
