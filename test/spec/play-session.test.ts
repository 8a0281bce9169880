import { beforeAll, describe, expect, test } from 'bun:test'
import { LEVELS, playableTrack } from '../support/playable.ts'
import { type Json, useTestService } from '../support/service.ts'
import { createCollection, createCreator, createTrack, ok, refused, TIMESTAMP, UNKNOWN_ID, UUID_V4 } from './support.ts'

const service = useTestService()

const open = (scope: string, body: object) => service.v1('POST', `/play_session/${scope}`, { body })
const listen = async (path: string) => ok(await service.v1('GET', path, { key: null }))
const indexes = (variants: Json[]) => variants.map(({ variant }) => variant.index)

describe('a session (contract, section 3, Play sessions)', () => {
  let creator: Json
  let collection: Json
  let tracks: string[]
  let session: Json

  beforeAll(async () => {
    creator = await createCreator(service)
    collection = await createCollection(service, { creator_id: creator.id, player_color: '#000080' })
    const at = { collectionId: collection.id, creatorId: creator.id }
    // Created in another order than the one in which they are played.
    const second = await playableTrack(service, { ...at, order: 2 })
    const first = await playableTrack(service, {
      ...at,
      order: 1,
      indexes: ['lq', 'hq', 'preview', 'waveform', 'original'],
    })
    tracks = [first, second]
    // Nothing of these plays.
    await playableTrack(service, { ...at, order: 3, indexes: ['waveform', 'original'] })
    await createTrack(service, { collection_id: collection.id })
    const body = { collection_id: collection.id, organization_index: 'page-7', metadata: { a_b: { C: 1 } } }
    session = ok(await open('collection', body))
  })

  test('of a collection has exactly these fields', () => {
    expect(session).toEqual({
      ok: true,
      api_request_id: expect.any(String),
      play_session_id: expect.stringMatching(UUID_V4),
      play_session: {
        id: session.play_session_id,
        creator_id: creator.id,
        organization_index: 'page-7',
        metadata: { a_b: { C: 1 } },
        variants: [],
        is_downloadable: false,
        expires_at: expect.stringMatching(TIMESTAMP),
      },
      count: 2,
      tracks: [
        expect.objectContaining({ id: tracks[0], order: 1 }),
        expect.objectContaining({ id: tracks[1], order: 2 }),
      ],
      first_track: {
        track_id: tracks[0],
        // Lists leave the transcription out.
        track: { ...session.tracks[0], transcription: null },
        levels: LEVELS,
        variants: expect.any(Array),
        cover_image: null,
        dash_url: null,
        hls_url: null,
        listening_url: null,
      },
      player_color: '#000080',
      player_color_light: '#000080',
      player_color_dark: '#0000ff',
      expires_at: session.play_session.expires_at,
    })
    expect(Math.abs(Date.parse(session.expires_at) - Date.now() - 3_600_000)).toBeLessThan(60_000)
  })

  test('is readable with its ID', async () => {
    const read = await listen(`/play_session/${session.play_session_id}`)
    const { verified, ...same } = { verified: read.first_track.variants.length, ...read }
    expect(verified).toBe(3)
    expect({ ...same, api_request_id: 0, first_track: 0 }).toEqual({ ...session, api_request_id: 0, first_track: 0 })
  })

  test('plays whole recordings before previews, each a track file with a signed URL', async () => {
    const { variants } = session.first_track
    expect(indexes(variants)).toEqual(['hq', 'lq', 'preview'])
    const { files } = ok(await service.v1('GET', `/track/${tracks[0]}`))
    const hq = files.find((file: Json) => file.variant.index === 'hq')
    expect({ ...variants[0], url: '' }).toEqual({ ...hq, url: '' })
    expect(variants[0].url).toMatch(/\?verify=\d+-[\w-]{43}$/)
  })

  test('answers the same for one track as for the first track', async () => {
    const played = await listen(`/play/${session.play_session_id}/${tracks[0]}`)
    const { play_session_id, play_session } = session
    expect({ ...played, variants: 0 }).toEqual({
      ok: true,
      api_request_id: expect.any(String),
      play_session_id,
      play_session,
      ...session.first_track,
      variants: 0,
    })
    const bare = await listen(`/play/${session.play_session_id}/${tracks[1]}`)
    expect([bare.levels, indexes(bare.variants)]).toEqual([null, ['hq', 'preview']])
  })

  test('does not list a track without a playable file, but answers for it', async () => {
    const [waiting] = ok(await service.v1('GET', `/collection/${collection.id}/track`)).tracks
    expect(waiting.track_status_id).toBe('initialized')
    const played = await listen(`/play/${session.play_session_id}/${waiting.id}`)
    expect([played.track.track_status_id, played.levels, played.variants]).toEqual(['initialized', null, []])
  })

  test('lists its tracks in pages, with the same first track', async () => {
    const read = await listen(`/play_session/${session.play_session_id}?limit=1&offset=1`)
    expect(read.tracks.map((track: Json) => track.id)).toEqual([tracks[1]])
    expect([read.count, read.first_track.track_id]).toEqual([2, tracks[0]])
    for (const query of ['limit=0', 'limit=201', 'offset=-1']) {
      refused(await service.v1('GET', `/play_session/${session.play_session_id}?${query}`), 400, 'invalid_input')
    }
  })

  test('has variants in the requested order, by index or ID, and plays only playable ones', async () => {
    const { variants } = ok(await service.v1('GET', '/variant'))
    const { id } = variants.find((variant: Json) => variant.index === 'hq')
    const body = { collection_id: collection.id, variants: ['preview', 'waveform', id.toUpperCase(), 'preview', 'hq'] }
    const chosenSession = ok(await open('collection', body))
    expect(chosenSession.play_session.variants).toEqual(['preview', 'waveform', 'hq'])
    expect(indexes(chosenSession.first_track.variants)).toEqual(['preview', 'hq'])
    // A track without these variants is not listed.
    expect(ok(await open('collection', { ...body, variants: ['lq'] })).count).toBe(1)
  })

  test('of a track plays only that track', async () => {
    const alone = ok(await open('track', { track_id: tracks[1], collection_id: UNKNOWN_ID }))
    expect([alone.count, alone.tracks[0].id, alone.first_track.track_id]).toEqual([1, tracks[1], tracks[1]])
    expect(alone.play_session.creator_id).toBe(creator.id)
    refused(await service.v1('GET', `/play/${alone.play_session_id}/${tracks[0]}`, { key: null }), 404, 'not_found')
  })

  test('of an empty collection has no tracks', async () => {
    const empty = await createCollection(service)
    const { tracks: none, first_track, count } = ok(await open('collection', { collection_id: empty.id }))
    expect({ none, first_track, count }).toEqual({ none: [], first_track: null, count: 0 })
  })

  test('accepts the index of a variant of its track', async () => {
    const organizationId = service.demo.organization_id
    const variant = { organizationId, trackId: tracks[1], type: 'preview', index: 'own-clip', props: {} } as const
    await service.services.db.variant.create({ data: variant })
    for (const [scope, body] of [
      ['collection', { collection_id: collection.id }],
      ['track', { track_id: tracks[1] }],
    ] as const) {
      const { play_session } = ok(await open(scope, { ...body, variants: ['own-clip'] }))
      expect(play_session.variants, scope).toEqual(['own-clip'])
    }
    refused(await open('track', { track_id: tracks[0], variants: ['own-clip'] }), 404, 'not_found', 'variants')
  })

  test('does not show deleted records in the next request', async () => {
    const ownCollection = await createCollection(service)
    const [one, two] = [
      await playableTrack(service, { collectionId: ownCollection.id, order: 0 }),
      await playableTrack(service, { collectionId: ownCollection.id, order: 1 }),
    ]
    const id = ok(await open('collection', { collection_id: ownCollection.id })).play_session_id
    const ofTrack = ok(await open('track', { track_id: one })).play_session_id
    ok(await service.v1('DELETE', `/track/${one}`))
    refused(await service.v1('GET', `/play/${id}/${one}`), 404, 'not_found', 'track_id')
    refused(await service.v1('GET', `/play_session/${ofTrack}`), 404, 'not_found', 'play_session_id')
    expect((await listen(`/play_session/${id}`)).first_track.track_id).toBe(two)
    const hq = { organizationId: service.demo.organization_id, index: 'hq', deletedAt: null }
    const { count } = await service.services.db.variant.updateMany({ where: hq, data: { deletedAt: new Date() } })
    expect(count).toBe(1)
    expect(indexes((await listen(`/play/${id}/${two}`)).variants)).toEqual(['preview'])
    await service.services.db.variant.updateMany({
      where: { ...hq, deletedAt: { not: null } },
      data: { deletedAt: null },
    })
    ok(await service.v1('DELETE', `/collection/${ownCollection.id}`))
    for (const path of [`/play_session/${id}`, `/play/${id}/${two}`, `/play/${id}/${two}/hq/download`]) {
      refused(await service.v1('GET', path), 404, 'not_found', 'play_session_id')
    }
  })

  test('counts no play; only stream links do', async () => {
    expect(await service.services.db.playEvent.count()).toBe(0)
  })
})

describe('the body of a new session', () => {
  const refusals = [
    ['playlist', {}, 400, 'scope'],
    ['collection', {}, 400, 'collection_id'],
    ['track', {}, 400, 'track_id'],
    ['collection', { collection_id: 'x' }, 400, 'collection_id'],
    ['collection', { collection_id: UNKNOWN_ID }, 404, 'collection_id'],
    ['track', { track_id: UNKNOWN_ID }, 404, 'track_id'],
    ['collection', { variants: 'hq' }, 400, 'variants'],
    ['collection', { variants: ['nothing'] }, 404, 'variants'],
    ['collection', { expires_in: 59 }, 400, 'expires_in'],
    ['collection', { expires_in: 86_401 }, 400, 'expires_in'],
    ['collection', { expires_in: 60.5 }, 400, 'expires_in'],
    ['collection', { is_downloadable: 'yes' }, 400, 'is_downloadable'],
  ] as const
  test.each(refusals.map(([scope, body, status, field]) => ({ scope, body, status, field })))(
    'rejects %j',
    async (row) => {
      const { scope, body, status, field } = row
      const isAboutSubject = field.endsWith('_id') || field === 'scope'
      const whole = isAboutSubject ? body : { collection_id: service.demo.collection_id, ...body }
      refused(await open(scope, whole), status, status === 404 ? 'not_found' : 'invalid_input', field)
    },
  )

  test('accepts null for optional fields', async () => {
    const unset = { variants: null, is_downloadable: null, expires_in: null, metadata: null, organization_index: null }
    const { play_session } = ok(await open('collection', { collection_id: service.demo.collection_id, ...unset }))
    expect(play_session).toMatchObject({ variants: [], is_downloadable: false, metadata: {}, organization_index: null })
  })

  test('rejects a collection together with a track in GraphQL', async () => {
    const input = { collectionId: service.demo.collection_id, trackId: UNKNOWN_ID }
    const query =
      'mutation ($input: CreatePlaySessionInput!) { createPlaySession(input: $input) { playSession { id } } }'
    const { errors } = await service.graphql(query, { input })
    expect([errors[0].extensions.code, errors[0].message]).toEqual([
      'invalid_input',
      expect.stringContaining('trackId'),
    ])
  })

  test('a player key of a track opens it without an ID, in GraphQL as in REST', async () => {
    const body = { collection_id: service.demo.collection_id, file_name: 'own.wav' }
    const trackId = (await service.v1('POST', '/track', { body })).json.track_id
    const { collection_id } = body
    const player = { title: 'One track', api_key_type_id: 'player', collection_id, track_id: trackId }
    const key = ok(await service.v1('POST', '/api_key', { body: player })).api_key
    ok(await service.v1('POST', '/play_session/track', { body: {}, key }))
    const query = 'mutation { createPlaySession(input: {}) { playSession { trackId collectionId } } }'
    const { data } = await service.graphql(query, {}, key)
    expect(data.createPlaySession.playSession).toEqual({ trackId, collectionId: null })
  })

  test.each([60, 86_400])('60 and 86,400 seconds are not: %s', async (expires_in) => {
    ok(await open('collection', { collection_id: service.demo.collection_id, expires_in }))
  })
})

test('200 tracks with transcripts at their limit are answered with less than 1 MB', async () => {
  const { db } = service.services
  const collection = await createCollection(service)
  for (let order = 0; order < 200; order++) await playableTrack(service, { collectionId: collection.id, order })
  const transcription = 'x'.repeat(1 << 19)
  await db.track.updateMany({ where: { collectionId: collection.id }, data: { transcription } })
  const answer = await open('collection', { collection_id: collection.id })
  const { tracks, first_track } = ok(answer)
  expect(tracks).toHaveLength(200)
  expect(first_track.track.transcription).toBe(transcription)
  expect(Buffer.byteLength(answer.text)).toBeLessThan(1_000_000)
}, 60_000)
