import { beforeAll, expect, test } from 'bun:test'
import { post } from '../support/administrators.ts'
import { type Json, useTestService } from '../support/service.ts'
import { everyViewer } from '../support/viewers.ts'

const service = useTestService()
let viewers: Awaited<ReturnType<typeof everyViewer>>
beforeAll(async () => {
  viewers = await everyViewer(service)
})

async function run(query: string, key: string | null): Promise<Json> {
  const { json } = await post(service, query, {}, { key })
  expect(json.errors).toBeUndefined()
  return json.data
}

test('a client that may only create receives the created record, and nothing else', async () => {
  const { collection } = viewers.holdings
  const related = 'id collection { title } creator { id } jobs { totalCount nodes { id } } files { id }'
  const hidden = { collection: null, creator: null, jobs: { totalCount: 0, nodes: [] }, files: [] }
  const session = await run(
    `mutation { createUploadSession(input: { collectionId: "${collection}", track: { fileName: "a.wav" } }) {
       uploadSession { id } upload { track { ${related} } } } }`,
    viewers.credentials.uploader,
  )
  expect(session.createUploadSession.upload.track).toMatchObject(hidden)
  const { id } = session.createUploadSession.uploadSession
  const payload = await run(
    `mutation { createUploadTrack(uploadSessionId: "${id}", input: { fileName: "b.wav" }) { upload { track { ${related} } } } }`,
    null,
  )
  expect(payload.createUploadTrack.upload.track).toMatchObject(hidden)
})

test('keys that are shown at once are not taken for each other', async () => {
  const { credentials } = viewers
  const kinds = { api: 'API', uploader: 'UPLOADER', player: 'PLAYER', share: 'SHARE', foreignKey: 'API' } as const
  const ask = async (name: keyof typeof kinds) =>
    (await run('{ viewer { ... on KeyViewer { kind organizationId } } }', credentials[name])).viewer
  const all = Object.keys(kinds).flatMap((name) => Array(20).fill(name)) as (keyof typeof kinds)[]
  const answers = await Promise.all(all.map(async (name) => ({ name, ...(await ask(name)) })))
  const organizationOf = (name: string) => (name === 'foreignKey' ? viewers.foreignId : service.demo.organization_id)
  expect(answers).toEqual(all.map((name) => ({ name, kind: kinds[name], organizationId: organizationOf(name) })))
})

test('share keys are shown again to viewers who may create them, and keys of other kinds to none', async () => {
  const query = '{ keys { nodes { kind shareKey } } }'
  const { nobody: _, ...credentials } = viewers.credentials
  const keysByViewer: Json = {}
  for (const [name, key] of Object.entries(credentials)) {
    const { json } = await post(service, query, {}, { key })
    const nodes: Json[] = json.data?.keys.nodes ?? []
    keysByViewer[name] = json.errors ? 'refused' : [...new Set(nodes.flatMap(({ shareKey }) => shareKey ?? []))]
    for (const node of nodes) if (node.shareKey !== null) expect(node.kind).toBe('SHARE')
  }
  const refused = Object.fromEntries(
    ['collection', 'creator', 'uploader', 'player', 'share'].map((name) => [name, 'refused']),
  )
  const keys = [service.demo.share_key]
  expect(keysByViewer).toEqual({
    ...refused,
    api: keys,
    owner: keys,
    admin: keys,
    viewer: [],
    foreignKey: [],
    foreignOwner: [],
  })
})

test('a key with a scope sees its own in every list and through every record, and nothing else', async () => {
  const { creator, collection, track, otherCollection } = viewers.holdings
  const query = `{ collections { totalCount nodes { id creator { id } } }
    tracks { totalCount nodes { id collection { id } creator { id } } } creators { totalCount nodes { id } } }`
  const byCollection = await run(query, viewers.credentials.collection)
  expect(byCollection.collections).toEqual({ totalCount: 1, nodes: [{ id: collection, creator: null }] })
  const inside = { collection: { id: collection }, creator: null }
  for (const node of byCollection.tracks.nodes) expect(node).toMatchObject(inside)
  expect(byCollection.tracks.nodes.map((node: Json) => node.id)).toContain(track)
  expect(byCollection.creators.totalCount).toBe(0)
  // Of a foreign collection: the creator's key sees the track, not its collection.
  await service.services.db.track.update({ where: { id: track }, data: { collectionId: otherCollection } })
  const byCreator = await run(query, viewers.credentials.creator)
  expect(byCreator.tracks.nodes).toContainEqual({ id: track, collection: null, creator: { id: creator } })
  for (const node of byCreator.tracks.nodes) expect(node.creator).toEqual({ id: creator })
  expect(byCreator.collections.nodes).toEqual([{ id: collection, creator: { id: creator } }])
})
