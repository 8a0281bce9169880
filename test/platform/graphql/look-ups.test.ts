// Single look-ups are nullable (contract, section 1): an unknown id leaves the rest of the answer.
import { beforeAll, expect, test } from 'bun:test'
import { isNonNullType } from 'graphql'
import { schema } from '../../../src/roles/gateway/schema.ts'
import { UNKNOWN_ID } from '../../spec/support.ts'
import { signIn } from '../../support/administrators.ts'
import { playableTrack } from '../../support/playable.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
let owner: string
let trackId: string
beforeAll(async () => {
  owner = (await signIn(service)).token
  trackId = await playableTrack(service)
})

/** Every field of Query that looks one record up by its id. */
const lookUps = Object.values(schema.getQueryType()?.getFields() ?? {})
  .filter(({ args }) => args.length === 1 && args[0]?.name === 'id')
  .map(({ name }) => name)

test('every kind of record has a look-up', () => {
  expect(lookUps.sort()).toEqual([
    'batch',
    'collection',
    'creator',
    'event',
    'job',
    'key',
    'node',
    'organization',
    'playSession',
    'track',
    'uploadSession',
    'variant',
    'webhookDelivery',
    'webhookEndpoint',
  ])
})

test.each(lookUps)('%s of an unknown id is null with an error at its path; other fields are kept', async (name) => {
  expect(isNonNullType(schema.getQueryType()?.getFields()[name]?.type)).toBe(false)
  const query = `{ known: track(id: "${trackId}") { id } unknown: ${name}(id: "${UNKNOWN_ID}") { __typename } }`
  // An operation that is sent again is compiled.
  for (let time = 0; time < 3; time++) {
    const { data, errors } = await service.graphql(query, {}, owner)
    expect(data).toEqual({ known: { id: trackId }, unknown: null })
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject({ path: ['unknown'], extensions: { code: 'not_found' } })
  }
})

test('a track and a download of a play session too', async () => {
  const body = { track_id: trackId, is_downloadable: true }
  const { json } = await service.v1('POST', '/play_session/track', { body })
  const { data, errors } = await service.graphql(
    `{ playSession(id: "${json.play_session_id}") { id playback(trackId: "${UNKNOWN_ID}") { trackId }
        firstTrack { trackId download(variantIndex: "nothing") { url } } } }`,
  )
  expect(data.playSession).toEqual({
    id: json.play_session_id,
    playback: null,
    firstTrack: { trackId, download: null },
  })
  const paths = errors.map(({ path }: { path: string[] }) => path.join('.')).sort()
  expect(paths).toEqual(['playSession.firstTrack.download', 'playSession.playback'])
})
