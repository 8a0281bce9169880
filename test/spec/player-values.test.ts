// The values that players show for a track (contract, section 3, last list; section 8).
import { beforeAll, describe, expect, test } from 'bun:test'
import { playableTrack } from '../support/playable.ts'
import { type Json, useTestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { createCollection, createSession, ok, refused } from './support.ts'

const service = useTestService()
beforeAll(async () => {
  const body = { player_color: '#ffff00' }
  ok(await service.v1('PUT', `/organization/${service.demo.organization_id}`, { body }))
})

interface Row {
  trackValues?: { playerTitle?: string; playerSubtitle?: string; playerColor?: string }
  tags?: Record<string, string>
  collection?: object
  fileName?: string
  /** As the client sent it. */
  sentName?: string | null
  expected: object
}

const organizationColors = {
  player_color: '#ffff00',
  player_color_light: '#8f8f00',
  player_color_dark: '#ffff00',
}
const blue = { player_color: '#000080', player_color_light: '#000080', player_color_dark: '#0000ff' }
const untitled = { player_title: 'song', player_subtitle: '', ...organizationColors }
const rows: [what: string, row: Row][] = [
  ['nothing is set', { expected: untitled }],
  ['the file name has several dots', { fileName: 'a.b.flac', expected: { ...untitled, player_title: 'a.b' } }],
  ['the file name has no extension', { fileName: 'plain', expected: { ...untitled, player_title: 'plain' } }],
  [
    'the file name has letters that are not safe in headers',
    { sentName: 'Ænima — Straße №5.wav', expected: { ...untitled, player_title: 'Ænima — Straße №5' } },
  ],
  ['the file name has a path', { sentName: 'C:\\music\\歌.mp3', expected: { ...untitled, player_title: '歌' } }],
  ['the sent file name is unknown', { sentName: null, expected: untitled }],
  ['the sent file name is only an extension', { sentName: '.wav', expected: untitled }],
  ['the title of the track is blank', { trackValues: { playerTitle: ' ' }, expected: untitled }],
  [
    'the recording has tags',
    {
      tags: { title: 'Brass Section', artist: 'A Band' },
      expected: { ...untitled, player_title: 'Brass Section', player_subtitle: 'A Band' },
    },
  ],
  ['the tags are blank', { tags: { title: ' ', artist: '' }, expected: untitled }],
  [
    'the collection has a subtitle and a color',
    {
      collection: { player_subtitle: 'Of the collection', player_color: '#000080' },
      expected: { ...untitled, player_subtitle: 'Of the collection', ...blue },
    },
  ],
  [
    'the artist tag goes before the collection',
    {
      tags: { artist: 'A Band' },
      collection: { player_subtitle: 'Of the collection' },
      expected: { ...untitled, player_subtitle: 'A Band' },
    },
  ],
  [
    "the track's own values go before everything",
    {
      trackValues: { playerTitle: 'Mine', playerSubtitle: 'By me', playerColor: '#000080' },
      tags: { title: 'Brass Section', artist: 'A Band' },
      collection: { player_subtitle: 'Of the collection', player_color: '#ff0000' },
      expected: { player_title: 'Mine', player_subtitle: 'By me', ...blue },
    },
  ],
]

const names = ['player_title', 'player_subtitle', 'player_color', 'player_color_light', 'player_color_dark']
const valuesOf = (track: Json) => Object.fromEntries(names.map((name) => [name, track[name]]))
const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

async function playable({ trackValues = {}, tags, collection = {}, fileName = 'song.wav', sentName = fileName }: Row) {
  const { id: collectionId } = await createCollection(service, collection)
  const id = await playableTrack(service, { collectionId })
  const info = tags
    ? { container: 'mp3', codec: 'mp3', sample_rate: 44_100, channels: 2, bit_rate: null, tags }
    : undefined
  await service.services.db.track.update({
    where: { id },
    data: { ...trackValues, info, fileName, fileNameOriginal: sentName },
  })
  return { id, collectionId }
}

test.each(rows)('%s', async (_, row) => {
  const { id, collectionId } = await playable(row)
  const body = { collection_id: collectionId }
  const opened = ok(await service.v1('POST', '/play_session/collection', { body }))
  const session = opened.play_session_id
  expect(opened.tracks).toHaveLength(1)
  expect(valuesOf(opened.tracks[0])).toEqual(row.expected)
  expect(valuesOf(opened.first_track.track)).toEqual(row.expected)
  expect(valuesOf(ok(await service.v1('GET', `/play_session/${session}`, { key: null })).tracks[0])).toEqual(
    row.expected,
  )
  expect(valuesOf(ok(await service.v1('GET', `/play/${session}/${id}`, { key: null })).track)).toEqual(row.expected)

  const fieldNames = names.map(camel).join(' ')
  const { data } = await service.graphql(
    `{ playSession(id: "${session}") { tracks { nodes { ${fieldNames} } } firstTrack { track { ${fieldNames} } }
        playback(trackId: "${id}") { track { ${fieldNames} } } } }`,
  )
  const expected = Object.fromEntries(Object.entries(row.expected).map(([name, value]) => [camel(name), value]))
  expect(data.playSession.tracks.nodes).toEqual([expected])
  expect(data.playSession.firstTrack.track).toEqual(expected)
  expect(data.playSession.playback.track).toEqual(expected)
})

describe('one value alone is read in GraphQL', () => {
  test.each(names.map(camel))('%s', async (name) => {
    const { collectionId } = await playable({ expected: {} })
    const body = { collection_id: collectionId }
    const { play_session_id } = ok(await service.v1('POST', '/play_session/collection', { body }))
    const query = `{ playSession(id: "${play_session_id}") { tracks { nodes { ${name} } } } }`
    const { data, errors } = await service.graphql(query)
    expect(errors).toBeUndefined()
    expect(data.playSession.tracks.nodes[0][name]).toBeString()
  })
})

describe('lists of tracks have no transcription', () => {
  let id: string
  let collectionId: string
  beforeAll(async () => {
    ;({ id, collectionId } = await playable({ expected: {} }))
    await service.services.db.track.update({ where: { id }, data: { transcription: 'Once upon a time' } })
  })

  test('in answers, while one track shows it', async () => {
    const listed = ok(await service.v1('GET', `/collection/${collectionId}/track`)).tracks
    const opened = ok(await service.v1('POST', '/play_session/collection', { body: { collection_id: collectionId } }))
    const session = opened.play_session_id
    const read = ok(await service.v1('GET', `/play_session/${session}`, { key: null }))
    for (const tracks of [listed, opened.tracks, read.tracks]) {
      expect(tracks).toHaveLength(1)
      expect(Object.keys(tracks[0])).not.toContain('transcription')
      expect(tracks[0]).toMatchObject({ id, transcription_language: null })
    }
    const one = ok(await service.v1('GET', `/play/${session}/${id}`, { key: null })).track
    expect(one.transcription).toBe('Once upon a time')
    expect(ok(await service.v1('GET', `/track/${id}`)).track.transcription).toBe('Once upon a time')
  })

  test('nor do their statements read it', async () => {
    const opened = ok(await service.v1('POST', '/play_session/collection', { body: { collection_id: collectionId } }))
    const read = async (path: string) => {
      const watched = watchStatements(service.services.pool)
      ok(await service.v1('GET', path))
      watched.stop()
      const ofTracks = watched.texts.filter((text) => text.includes('FROM "track"') && text.includes('"file_name"'))
      return ofTracks.map((text) => text.includes('"transcription"')).sort()
    }
    expect(await read(`/collection/${collectionId}/track`)).toEqual([false])
    // One statement reads the first track, with its files.
    expect(await read(`/play_session/${opened.play_session_id}`)).toEqual([false, true])
  })
})

describe('the three bodies that create a track', () => {
  const player = { player_title: 'T', player_subtitle: 'S', player_color: '#FF00FF' }
  const stored = { player_title: 'T', player_subtitle: 'S', player_color: '#ff00ff' }
  /** The id of the track that a body creates. */
  const creations: [what: string, create: (body: object) => Promise<Json>][] = [
    [
      'POST /v1/track',
      (body) => service.v1('POST', '/track', { body: { collection_id: service.demo.collection_id, ...body } }),
    ],
    [
      'POST /v1/upload/:upload_session_id/track',
      async (body) => {
        const { upload_session_id } = await createSession(service)
        return service.v1('POST', `/upload/${upload_session_id}/track`, { key: null, body })
      },
    ],
    [
      'the nested track of POST /v1/upload_session',
      (track) => service.v1('POST', '/upload_session', { body: { collection_id: service.demo.collection_id, track } }),
    ],
  ]

  test.each(creations)('%s takes player_title, player_subtitle and player_color', async (_, create) => {
    const { track_id } = ok(await create({ file_name: 'a.wav', ...player }))
    expect(ok(await service.v1('GET', `/track/${track_id}`)).track).toMatchObject(stored)
    const wrong = await create({ file_name: 'a.wav', player_color: 'blue' })
    refused(wrong, 400, 'invalid_input', 'player_color')
  })

  test.each(creations)('%s takes null for every optional field', async (_, create) => {
    const unset = { organization_index: null, metadata: null, file_size: null, creator_id: null, source_url: null }
    const nothing = { ...unset, player_title: null, player_subtitle: null, player_color: null }
    const { track_id } = ok(await create({ file_name: 'a.wav', ...nothing }))
    const { track } = ok(await service.v1('GET', `/track/${track_id}`))
    expect(track).toMatchObject({ metadata: {}, organization_index: null, player_title: null, player_color: null })
    refused(await create({ ...nothing, file_name: null }), 400, 'invalid_input', 'file_name')
  })

  test('POST /v1/track takes null for file_name with a source_url, and for collection_id with a scoped key', async () => {
    const body = { collection_id: service.demo.collection_id, source_url: 'https://files.test/a.wav', file_name: null }
    const { track_id } = ok(await service.v1('POST', '/track', { body }))
    expect(ok(await service.v1('GET', `/track/${track_id}`)).track.file_name).toBe('a.wav')
    refused(
      await service.v1('POST', '/track', { body: { file_name: 'a.wav', collection_id: null } }),
      400,
      'invalid_input',
      'collection_id',
    )
  })

  test('POST /v1/upload_session and POST /v1/api_key take null for what was not set', async () => {
    const unset = { creator_id: null, organization_index: null, metadata: null, expires_in: null, track: null }
    expect((await createSession(service, unset)).upload_session).toMatchObject({ metadata: {}, creator_id: null })
    const body = { title: 'K', api_key_type_id: 'player', variants: null, collection_id: null, expires_at: null }
    ok(await service.v1('POST', '/api_key', { body }))
  })

  test('the GraphQL inputs take them, too', async () => {
    const { collection_id: collectionId } = service.demo
    const input = { playerTitle: 'T', playerSubtitle: 'S', playerColor: '#FF00FF', fileName: 'a.wav' }
    const { data, errors } = await service.graphql(
      `mutation ($track: CreateTrackInput!, $session: CreateUploadSessionInput!) {
         createTrack(input: $track) { track { playerTitle playerSubtitle playerColor } }
         createUploadSession(input: $session) { upload { track { playerTitle playerSubtitle playerColor } } } }`,
      { track: { ...input, collectionId }, session: { collectionId, track: input } },
    )
    expect(errors).toBeUndefined()
    const expected = { playerTitle: 'T', playerSubtitle: 'S', playerColor: '#ff00ff' }
    expect(data.createTrack.track).toEqual(expected)
    expect(data.createUploadSession.upload.track).toEqual(expected)
  })
})
