import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ClientError, GraphQLClient } from 'graphql-request'
import { tone } from '../support/audio.ts'
import { lastingPort } from '../support/ports.ts'
import { useTestService } from '../support/service.ts'
import {
  FailedTracksDocument,
  NameTrackDocument,
  NewCollectionDocument,
  NewTrackDocument,
  ShareTrackDocument,
  ShelfDocument,
  TrackPageDocument,
} from './generated/operations.ts'

/** A front end with only the published schema, generated types and a client library. */
afterAll(() => server.stop(true))
const service = useTestService()
let server: Bun.Server<undefined>
let client: GraphQLClient

beforeAll(async () => {
  server = Bun.serve({ hostname: '127.0.0.1', port: await lastingPort(), fetch: (request) => service.gateway(request) })
  const headers = { authorization: `Bearer ${service.demo.api_key}` }
  client = new GraphQLClient(`http://127.0.0.1:${server.port}/graphql`, { headers })
})

test('from an empty shelf to a shared track', async () => {
  const input = { title: 'An album', metadata: { catalogue: 'T-1' } }
  const { createCollection } = await client.request(NewCollectionDocument, { input })
  const { collection } = createCollection
  const created = await client.request(NewTrackDocument, {
    input: { collectionId: collection.id, fileName: 'Ein Stück.wav' },
  })
  const { track, upload } = created.createTrack
  expect(track.status).toBe('INITIALIZED')
  const bytes = await tone(3)
  const { method, uploadUrl } = upload.trackUpload
  expect((await service.fetchEdge(uploadUrl, { method, body: new Blob([bytes]) })).status).toBe(200)
  await service.runJobs()

  const change = { playerTitle: 'A piece', metadata: { isrc: 'DE-X' } }
  const { updateTrack } = await client.request(NameTrackDocument, { id: track.id, input: change })
  expect(updateTrack.track).toEqual({ id: track.id, ...change })

  const page = await client.request(TrackPageDocument, { id: track.id })
  expect(page.track).toMatchObject({ status: 'READY', fileNameOriginal: 'Ein Stück.wav', info: { channels: 2 } })
  expect(page.track?.levels?.levels).toHaveLength(320)
  const file = (index: string) => page.track?.files.find(({ variant }) => variant.index === index)
  expect(file('hq')?.props).toEqual({ __typename: 'TranscodeProps', codec: 'AAC', bitrate: 192 })
  expect(file('preview')?.data).toMatchObject({ __typename: 'PreviewData' })
  const sound = await service.fetchEdge(file('hq')?.url ?? '')
  expect([sound.status, (await sound.arrayBuffer()).byteLength]).toEqual([200, file('hq')?.size ?? 0])

  const shelf = await client.request(ShelfDocument, { first: 10, filter: { search: 'album' } })
  expect(shelf.collections.nodes.map(({ tracks }) => tracks.nodes.map(({ playerTitle }) => playerTitle))).toEqual([
    ['A piece'],
  ])

  const { createShareKey } = await client.request(ShareTrackDocument, {
    input: { title: 'For the web site', variant: 'hq', collectionId: collection.id, trackId: track.id },
  })
  expect(createShareKey.record).toMatchObject({ kind: 'SHARE', variant: { index: 'hq' } })
  const link = await service.request('GET', `/v1/stream/${track.id}/${createShareKey.key}`, { key: null })
  expect(link.status).toBe(302)
})

test('an upload that is not audio appears among the failed tracks', async () => {
  const from = new Date(Date.now() - 60_000).toISOString()
  const { createTrack } = await client.request(NewTrackDocument, {
    input: { collectionId: service.demo.collection_id, fileName: 'letter.txt' },
  })
  await service.fetchEdge(createTrack.upload.trackUpload.uploadUrl, { method: 'PUT', body: 'Dear Sir or Madam' })
  await service.runJobs()
  const { tracks } = await client.request(FailedTracksDocument, { from })
  expect(tracks.nodes).toEqual([{ id: createTrack.track.id, statusCode: 'not_audio', statusText: expect.any(String) }])
})

test('a refusal reaches the client as an error with its code', async () => {
  const refused = client.request(TrackPageDocument, { id: crypto.randomUUID() })
  const error = await refused.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ClientError)
  expect((error as ClientError).response.errors?.[0]?.extensions?.code).toBe('not_found')
})
