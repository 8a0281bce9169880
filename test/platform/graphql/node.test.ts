// `Node`, `node` and `nodes` (contract, section 1): clients such as Relay load any record again by its ID.
import { beforeAll, describe, expect, test } from 'bun:test'
import { isInterfaceType, isObjectType } from 'graphql'
import { insertAdministrator } from '../../../src/domain/access/administrator/service.ts'
import { issueKey } from '../../../src/domain/access/key/keys.ts'
import { createOrganization } from '../../../src/domain/organization/service.ts'
import { schema } from '../../../src/roles/gateway/schema.ts'
import { createFixtures } from '../../matrix/operations.ts'
import { UNKNOWN_ID } from '../../spec/support.ts'
import { playableTrack } from '../../support/playable.ts'
import { useTestService } from '../../support/service.ts'
import { everyViewer } from '../../support/viewers.ts'

const service = useTestService()
/** A record of each type, by its name. */
let records: Record<string, string>
let owner: string
let foreignKey: string

/** The names of the types that implement Node. */
const nodeTypes = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node'))
  .map(({ name }) => name)

beforeAll(async () => {
  const { db } = service.services
  const { credentials, holdings } = await everyViewer(service)
  const fixtures = await createFixtures(service, holdings)
  owner = credentials.owner as string
  foreignKey = credentials.foreignKey as string
  const track = await playableTrack(service)
  const { organization_id: organizationId, collection_id: collectionId } = service.demo
  const newEvent = async (type: string) =>
    (await db.event.create({ data: { organizationId, type, data: {}, collectionId, trackId: track } })).id
  records = {
    Activity: (await db.activity.findFirstOrThrow({ where: { organizationId } })).id,
    Administrator: (await db.administrator.findFirstOrThrow({ where: { organizationId } })).id,
    Batch: await fixtures.newBatch(),
    Collection: collectionId,
    CollectionEvent: await fixtures.newEvent(),
    Creator: holdings.creator,
    Job: await fixtures.newJob(),
    Key: await fixtures.newKey('player'),
    Organization: organizationId,
    PlaySession: await fixtures.newPlaySession(),
    Track: track,
    TrackFile: (await db.trackFile.findFirstOrThrow({ where: { trackId: track } })).id,
    TrackFileEvent: await newEvent('track_file.created'),
    TrackRecordingEvent: await newEvent('track.recording_replaced'),
    TrackStatusChangedEvent: await newEvent('track.status_changed'),
    TrackTranscriptionEvent: await newEvent('track.transcribed'),
    UploadSession: await fixtures.newSession(),
    Variant: fixtures.organizationVariant,
    WebhookDelivery: await fixtures.newDelivery(),
    WebhookEndpoint: await fixtures.newEndpoint(),
    WebhookEvent: await newEvent('webhook.test'),
  }
})

const idOf = (name: string) => records[name] as string
const node = async (id: string, key: string | null = owner, selection = '{ __typename id nodeId }') =>
  service.graphql(`query ($id: ID!) { node(id: $id) ${selection} }`, { id }, key)

test('every type with an ID is a node, except for records that have the ID of another or no look-up', () => {
  const withId = Object.values(schema.getTypeMap()).filter(
    (type) => (isObjectType(type) || isInterfaceType(type)) && String(type.getFields().id?.type) === 'ID!',
  )
  const others = withId.map(({ name }) => name).filter((name) => !nodeTypes.includes(name))
  expect(others.sort()).toEqual([
    'DeletedCollection',
    'DeletedTrack',
    'Event',
    'FormerRecording',
    'Invitation',
    'Node',
    'Passkey',
    'PlayFile',
    'PlayTrack',
    'SignInSession',
    'SigningSecret',
    'TrackReplacement',
    'Translation',
  ])
  expect(Object.keys(records ?? {}).sort()).toEqual(nodeTypes.sort())
})

describe('node finds by id and by nodeId', () => {
  test.each(nodeTypes)('a %s', async (name) => {
    const expected = { __typename: name, id: idOf(name), nodeId: `${name}:${idOf(name)}` }
    // An operation that is sent again is compiled.
    for (const id of [expected.id, expected.nodeId, expected.id.toUpperCase()]) {
      expect(await node(id)).toMatchObject({ data: { node: expected } })
    }
  })

  test.each(['Track', 'CollectionEvent', 'Administrator'])('no %s by the nodeId of another type', async (name) => {
    for (const other of nodeTypes.filter((type) => type !== name)) {
      const { data, errors } = await node(`${name}:${idOf(other)}`)
      expect([other, data, errors[0].extensions.code]).toEqual([other, { node: null }, 'not_found'])
    }
  })

  test.each(['', 'Track:', 'a', 'Track:a', `Track:Track:${UNKNOWN_ID}`])('nothing by %j', async (id) => {
    const { errors } = await node(id)
    expect(errors[0].extensions.code).toBe('invalid_input')
  })

  test('relations and pages of the record, read as its type', async () => {
    const selection = `{
      ... on Track { collection { id } files { id url variant { index } } }
      ... on Collection { tracks(first: 1) { nodes { id } pageInfo { endCursor hasNextPage } } }
    }`
    const track = await node(idOf('Track'), owner, selection)
    expect(track.errors).toBeUndefined()
    expect(track.data.node.collection.id).toBe(idOf('Collection'))
    expect(track.data.node.files.length).toBeGreaterThan(0)
    await playableTrack(service)
    const collection = await node(idOf('Collection'), owner, selection)
    const { nodes, pageInfo } = collection.data.node.tracks
    expect([nodes.length, pageInfo.hasNextPage]).toEqual([1, true])
    const next = `{ ... on Collection { tracks(first: 1, after: "${pageInfo.endCursor}") { nodes { id } } } }`
    const { data } = await node(`Collection:${idOf('Collection')}`, owner, next)
    expect(data.node.tracks.nodes[0].id).not.toBe(nodes[0].id)
  })
})

describe('another organization learns nothing', () => {
  // Their IDs are credentials.
  const owned = nodeTypes.filter((name) => !name.endsWith('Session'))
  test.each(owned)('of a %s', async (name) => {
    const keys = [foreignKey]
    const { services } = service
    const other = await createOrganization(services, 'Other')
    const { administrator } = await insertAdministrator(services, other.id, {
      email: `${name.toLowerCase()}@other.example`,
      role: 'owner',
    })
    expect(administrator.organizationId).toBe(other.id)
    keys.push((await issueKey(services, other.id, 'api', { title: 'other' })).key)
    const shownOf = ({ data, errors: [{ message, extensions, path }] }: Awaited<ReturnType<typeof node>>) => ({
      data,
      message,
      path,
      code: extensions.code,
    })
    for (const key of keys) {
      const unknown = shownOf(await node(UNKNOWN_ID, key))
      for (const id of [idOf(name), `${name}:${idOf(name)}`]) expect(shownOf(await node(id, key))).toEqual(unknown)
    }
  })

  test('a session without a key is found, as by its own field', async () => {
    for (const name of ['PlaySession', 'UploadSession']) {
      expect((await node(idOf(name), null)).data.node.id).toBe(idOf(name))
    }
    const { errors } = await node(idOf('Track'), null)
    expect(errors[0].extensions.code).toBe('unauthenticated')
  })
})

describe('nodes', () => {
  const nodes = (ids: string[]) =>
    service.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids }, owner)

  test('are in the order of the IDs, null with an error where there is none', async () => {
    for (let time = 0; time < 3; time++) {
      const { data, errors } = await nodes([idOf('Track'), UNKNOWN_ID, `Creator:${idOf('Creator')}`, idOf('Track')])
      expect(data.nodes).toEqual([
        { __typename: 'Track', id: idOf('Track') },
        null,
        { __typename: 'Creator', id: idOf('Creator') },
        { __typename: 'Track', id: idOf('Track') },
      ])
      expect(errors).toHaveLength(1)
      expect(errors[0]).toMatchObject({ path: ['nodes', 1], extensions: { code: 'not_found' } })
    }
  })

  test('are at most 50, and cost by their number', async () => {
    const { errors } = await nodes(Array.from({ length: 51 }, () => UNKNOWN_ID))
    expect(errors[0]).toMatchObject({
      message: expect.stringContaining('limit of 50'),
      extensions: { code: 'invalid_input' },
    })
    expect((await nodes(Array.from({ length: 50 }, () => UNKNOWN_ID))).errors).toHaveLength(50)
  })
})
