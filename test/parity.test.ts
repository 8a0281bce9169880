import { beforeAll, describe, expect, test } from 'bun:test'
import { mapKeys, toCamel } from '../src/platform/case.ts'
import { tone } from './support/audio.ts'
import { type Json, uploadTrack, useTestService } from './support/service.ts'

const service = useTestService()
let trackId: string
let creatorId: string

beforeAll(async () => {
  trackId = await uploadTrack(service, await tone(2))
  await service.runJobs()
  await service.services.db.track.update({ where: { id: trackId }, data: { analysis: measuredLoud } })
  const creator = await service.v1('POST', '/creator', { body: { organization_index: 'parity', metadata: { a_b: 1 } } })
  creatorId = creator.json.creator_id
})

const measuredLoud = {
  integrated_lufs: -14.02,
  loudness_range_lu: 6.1,
  true_peak_dbtp: -0.98,
  sample_peak_dbfs: -1.2,
  leading_silence_seconds: 0.25,
  trailing_silence_seconds: 1.5,
  clipped_samples: 3_000_000_000,
  dc_offset: 0.000012,
  tempo_bpm: 120.5,
  tempo_confidence: 0.9,
  key: 'F# minor',
  key_confidence: null,
}
const creatorFields = 'id organizationId folderId organizationIndex metadata createdAt updatedAt'
const collectionFields = `id organizationId creatorId title organizationIndex metadata theme { hex area lightness saturation }
  isCoverOverridable isThemeOverridable playerColor playerColorLight playerColorDark playerSubtitle createdAt updatedAt`
const audioProps = 'codec bitrate isStereo isStripTags isStripCover normalize sampleRate channels measuredBitrate'
const props = `props { __typename ... on TranscodeProps { ${audioProps} } ... on LevelsProps { numSamples samplesPerPixel bits waveformChannels }
  ... on OriginalProps { sourceCodec sourceBitrate }
  ... on PreviewProps { ${audioProps} previewType previewStartPercent previewSeconds previewMinPercent previewMaxPercent
    previewPercent previewMinSeconds previewMaxSeconds } }`
const variantFields = `id organizationId variantTypeId index ${props}`
const cover = 'url width height type'
const fileData = `data { __typename ... on PreviewData { duration extension captureStart captureEnd contentType }
  ... on LevelsData { avg max min levels metric resample numSamples waveform { version channels sampleRate
    samplesPerPixel bits length variantIndex json { url path type size sha256 } dat { url path type size sha256 } } }
  ... on CoverImages { large { ${cover} } } }`
const measured = `integratedLufs loudnessRangeLu truePeakDbtp samplePeakDbfs leadingSilenceSeconds
  trailingSilenceSeconds clippedSamples dcOffset tempoBpm tempoConfidence key keyConfidence`
const trackFields = `id organizationId collectionId creatorId index order status statusCode statusText fileName
  fileNameOriginal duration info { container codec sampleRate bitDepth channels channelLayout bitRate tags { name value } } analysis { ${measured} } organizationIndex metadata playerTitle playerSubtitle playerColor playerColorLight
  playerColorDark theme { hex area lightness saturation } transcription transcriptionLanguage basePath baseUrl
  filesCompletedAt createdAt updatedAt`
/** Lists of /v1 leave the transcription out (contract, section 3). */
const listedTrackFields = trackFields.replace('transcription ', '')
const sessionFields = 'id creatorId collectionId organizationIndex metadata expiresAt'
const organizationFields = `id name theme { hex area lightness saturation } isThemeOverridable isCoverOverridable
  playerColor playerColorLight playerColorDark playerSubtitle webhookUrl`

/** Differences by design: GraphQL has enums, and another name for the state. */
function asRest(node: Json): Json {
  const { status, variantTypeId, props: typed, info, ...rest } = node
  return {
    ...rest,
    ...(typed !== undefined && { props: plainProps(typed) }),
    ...(info && { info: { ...info, tags: Object.fromEntries(info.tags.map((tag: Json) => [tag.name, tag.value])) } }),
    ...(status && { trackStatusId: status.toLowerCase() }),
    ...(variantTypeId && { variantTypeId: variantTypeId.toLowerCase() }),
  }
}
/** Typed parameters as /v1 writes them: nulls of the other kind of length left out, enums in lower case. */
function plainProps(typed: Json): Json {
  const { __typename: _, sourceCodec, sourceBitrate, ...rest } = typed ?? {}
  const original = sourceCodec === undefined ? {} : { codec: sourceCodec, bitrate: sourceBitrate }
  const lower = (value: Json) => (typeof value === 'string' ? value.toLowerCase() : value)
  const present = Object.entries({ ...rest, ...original }).filter(([key, value]) => key in original || value !== null)
  return Object.fromEntries(present.map(([key, value]) => [key, lower(value)]))
}

/** JSON of the client is unchanged in both; JSON of the service is typed in GraphQL. */
const camel = (value: Json): Json => mapKeys(value, toCamel)
const typed = (record: Json): Json => {
  const { props: stored, info, data: resultData, ...rest } = camel(record)
  return {
    ...rest,
    ...(stored !== undefined && { props: mapKeys(stored, toCamel) }),
    ...(info !== undefined && { info: mapKeys(info, toCamel) }),
    ...(resultData !== undefined && { data: mapKeys(resultData, toCamel) }),
  }
}

async function data(query: string, variables: object = {}): Promise<Json> {
  const answer = await service.graphql(query, variables)
  expect(answer.errors).toBeUndefined()
  return answer.data
}

/** Fields that differ between two records. */
function withoutIdentity(record: Json): Json {
  const { id, folderId, index, order, basePath, baseUrl, createdAt, updatedAt, expiresAt, ...rest } = record
  return rest
}

describe('both interfaces read the same', () => {
  const reads: [name: string, path: () => string, key: string, query: () => string][] = [
    ['creator', () => `/creator/${creatorId}`, 'creator', () => `creator(id: "${creatorId}") { ${creatorFields} }`],
    [
      'collection',
      () => `/collection/${service.demo.collection_id}`,
      'collection',
      () => `collection(id: "${service.demo.collection_id}") { ${collectionFields} }`,
    ],
    ['track', () => `/track/${trackId}`, 'track', () => `track(id: "${trackId}") { ${trackFields} }`],
    [
      'organization',
      () => `/organization/${service.demo.organization_id}`,
      'organization',
      () => `organization(id: "${service.demo.organization_id}") { ${organizationFields} }`,
    ],
  ]
  test.each(reads)('%s', async (name, path, key, query) => {
    const rest = await service.v1('GET', path())
    expect(rest.status).toBe(200)
    expect(asRest((await data(`{ ${query()} }`))[name])).toEqual(typed(rest.json[key]))
  })

  const lists: [name: string, path: () => string, query: () => string][] = [
    ['creators', () => '/creator', () => `creators { totalCount edges { node { ${creatorFields} } } }`],
    ['collections', () => '/collection', () => `collections { totalCount edges { node { ${collectionFields} } } }`],
    ['variants', () => '/variant', () => `variants { totalCount edges { node { ${variantFields} } } }`],
    [
      'tracks',
      () => `/collection/${service.demo.collection_id}/track`,
      () =>
        `tracks(filter: { collectionId: "${service.demo.collection_id}" }) { totalCount edges { node { ${listedTrackFields} } } }`,
    ],
  ]
  test.each(lists)('%s', async (name, path, query) => {
    const rest = await service.v1('GET', path())
    const list = (await data(`{ ${query()} }`))[name]
    expect(list.totalCount).toBe(rest.json.count)
    expect(list.edges.map((edge: Json) => asRest(edge.node))).toEqual(rest.json[name].map(typed))
  })

  test.each([
    { path: '/usage?group_by=day,track,key', query: 'usage(groupBy: [DAY, TRACK, KEY])', fields: 'requests listens' },
    {
      path: '/usage/storage?group_by=collection',
      query: 'storageUsage(groupBy: COLLECTION)',
      fields: 'sourceBytes fileBytes',
    },
    {
      path: '/usage/processing?group_by=day,track',
      query: 'processingUsage(groupBy: [DAY, TRACK])',
      fields: 'jobs seconds transcribedSeconds',
    },
  ])('$path', async ({ path, query, fields }) => {
    expect((await service.v1('GET', `/stream/${trackId}/${service.demo.share_key}`, { key: null })).status).toBe(302)
    const { usage } = (await service.v1('GET', path)).json
    expect(usage).toHaveLength(1)
    const rows = Object.values(await data(`{ ${query} { ${Object.keys(camel(usage[0])).join(' ')} } }`))[0]
    expect(Object.keys(camel(usage[0])).slice(-fields.split(' ').length).join(' ')).toBe(fields)
    expect(rows).toEqual(usage.map(camel))
  })

  test('variant', async () => {
    const { variants } = (await service.v1('GET', '/variant')).json
    const { variant } = await data(`{ variant(id: "${variants[0].id}") { ${variantFields} } }`)
    expect(asRest(variant)).toEqual(typed(variants[0]))
  })

  test("a track's files", async () => {
    // Signatures contain the second of their issue.
    service.clock.now = new Date()
    const { files } = (await service.v1('GET', `/track/${trackId}`)).json
    const query = `files { id path size contentType fileName isPublic isSuccess statusCode statusText ${fileData} ${props} variant { id index } }`
    const { track } = await data(`{ track(id: "${trackId}") { ${query} } }`)
    const expectedFiles = files.map(({ url: _, variant, ...file }: Json) => ({
      ...typed(file),
      variant: { id: variant.id, index: variant.index },
    }))
    const asShown = track.files.map(({ data: resultData, ...file }: Json) => {
      const { __typename: _, ...plain } = resultData ?? {}
      return { ...asRest(file), data: resultData && plain }
    })
    expect(asShown).toEqual(expectedFiles)
    service.clock.now = null
  })

  test('upload session', async () => {
    const body = { collection_id: service.demo.collection_id, metadata: { k_v: [1] }, organization_index: 's' }
    const { upload_session } = (await service.v1('POST', '/upload_session', { body })).json
    const { uploadSession } = await data(`{ uploadSession(id: "${upload_session.id}") { ${sessionFields} } }`)
    expect(uploadSession).toEqual(camel(upload_session))
  })
})

describe('both interfaces give listeners the same', () => {
  const playTrack = `id collectionId creatorId index order status fileName duration organizationIndex metadata
    playerTitle playerSubtitle playerColor playerColorLight playerColorDark theme { hex area lightness saturation }
    transcriptionLanguage`
  const playback = `trackId track { ${playTrack} } transcription coverImage { icon { ${cover} } } levels { avg max min levels }
    variants { id variantIndex variantTypeId contentType size fileName ${props}
      preview { duration extension captureStart captureEnd contentType } }`
  /** The fields of a /v1 record that the GraphQL record has. */
  const shared = (rest: Json, node: Json) => Object.fromEntries(Object.keys(node).map((key) => [key, rest[key]]))

  test('a play session', async () => {
    const body = { collection_id: service.demo.collection_id, variants: ['preview', 'hq'], metadata: { a_b: 1 } }
    const { json } = await service.v1('POST', '/play_session/collection', { body })
    const { playSession } = await data(
      `{ playSession(id: "${json.play_session_id}") { id creatorId organizationIndex metadata variants isDownloadable
           expiresAt playerColor playerColorLight playerColorDark tracks { totalCount nodes { ${playTrack} } }
           firstTrack { ${playback} } playback(trackId: "${trackId}") { ${playback} } } }`,
    )
    const { tracks, firstTrack, playback: one, playerColor, playerColorLight, playerColorDark, ...record } = playSession
    expect(record).toEqual(camel(json.play_session))
    const colors = camel(json)
    expect([playerColor, playerColorLight, playerColorDark]).toEqual(
      ['playerColor', 'playerColorLight', 'playerColorDark'].map((name) => colors[name]),
    )
    expect(tracks.totalCount).toBe(json.count)
    const first = asRest(tracks.nodes[0])
    expect(first).toEqual(shared(camel(json.tracks[0]), first))
    expect(firstTrack).toEqual(one)
    const { track, variants, levels, coverImage } = one
    expect(asRest(track)).toEqual(first)
    expect(levels).toEqual(shared(camel(json.first_track.levels), levels))
    expect(coverImage).toEqual(json.first_track.cover_image)
    expect(variants).toHaveLength(2)
    for (const [place, file] of variants.entries()) {
      const { variant, data: variantData, ...rest } = typed(json.first_track.variants[place])
      const { variantIndex, variantTypeId, preview, ...fileFields } = file
      expect([variantIndex, variantTypeId.toLowerCase()]).toEqual([variant.index, variant.variantType.id])
      expect(preview).toEqual(variantData)
      expect(plainProps(fileFields.props)).toEqual(shared(rest.props, plainProps(fileFields.props)))
      expect({ ...fileFields, props: 0 }).toEqual({ ...shared(rest, fileFields), props: 0 })
    }
  })

  test('createPlaySession', async () => {
    const payload = await data(
      `mutation { createPlaySession(input: { trackId: "${trackId}", isDownloadable: true, expiresIn: 60 }) {
         playSession { id trackId firstTrack { trackId download(variantIndex: "hq") { variantIndex url } } } } }`,
    )
    const { id, firstTrack } = payload.createPlaySession.playSession
    const read = (await service.v1('GET', `/play/${id}/${trackId}/hq/download`, { key: null })).json
    expect([read.track_id, read.download.variant.index]).toEqual([firstTrack.trackId, firstTrack.download.variantIndex])
    expect(new URL(firstTrack.download.url).pathname).toBe(new URL(read.download.url).pathname)
  })
})

describe('both interfaces write the same', () => {
  test('createCreator, updateCreator, deleteCreator', async () => {
    const rest = await service.v1('POST', '/creator', { body: { organization_index: 'one', metadata: { x_y: 'z' } } })
    const input = { organizationIndex: 'two', metadata: { x_y: 'z' } }
    const payload = await data(
      `mutation ($input: CreateCreatorInput!) { createCreator(input: $input) { creator { ${creatorFields} } } }`,
      { input },
    )
    const { creator } = payload.createCreator
    expect({ ...withoutIdentity(creator), organizationIndex: 'one' }).toEqual(withoutIdentity(camel(rest.json.creator)))

    await data(
      `mutation { updateCreator(id: "${creator.id}", input: { organizationIndex: "three" }) { creator { id } } }`,
    )
    const read = await service.v1('GET', `/creator/${creator.id}`)
    expect(read.json.creator.organization_index).toBe('three')

    await data(`mutation { deleteCreator(id: "${creator.id}") { deletedCreator { id } } }`)
    expect((await service.v1('GET', `/creator/${creator.id}`)).status).toBe(404)
  })

  test('createCollection, updateCollection, deleteCollection', async () => {
    const rest = await service.v1('POST', '/collection', { body: { title: 'T', player_color: '#F00' } })
    const payload = await data(
      `mutation { createCollection(input: { title: "T", playerColor: "#F00" }) {
         collection { ${collectionFields} } collectionCoverUpload { method ttl } } }`,
    )
    const { collection, collectionCoverUpload } = payload.createCollection
    expect(withoutIdentity(collection)).toEqual(withoutIdentity(camel(rest.json.collection)))
    expect(collectionCoverUpload).toEqual({ method: 'POST', ttl: rest.json.collection_cover_upload.ttl })
    await data(
      `mutation { updateCollection(id: "${collection.id}", input: { playerColor: null }) { collection { id } } }`,
    )
    const read = await service.v1('GET', `/collection/${collection.id}`)
    expect(read.json.collection.player_color).toBeNull()
    await data(`mutation { deleteCollection(id: "${collection.id}") { deletedCollection { id } } }`)
    expect((await service.v1('GET', `/collection/${collection.id}`)).status).toBe(404)
  })

  test('createUploadSession with a track, createUploadTrack', async () => {
    const body = { collection_id: service.demo.collection_id, track: { file_name: 'a.mp3', metadata: { m_n: 1 } } }
    const rest = await service.v1('POST', '/upload_session', { body })
    const payload = await data(
      `mutation ($id: ID!, $metadata: JSON) {
         createUploadSession(input: { collectionId: $id, track: { fileName: "a.mp3", metadata: $metadata } }) {
           uploadSession { ${sessionFields} } upload { track { fileName metadata } trackUpload { method ttl } } } }`,
      { id: service.demo.collection_id, metadata: { m_n: 1 } },
    )
    const { uploadSession, upload } = payload.createUploadSession
    expect(withoutIdentity(uploadSession)).toEqual(withoutIdentity(camel(rest.json.upload_session)))
    expect(upload.track).toEqual({ fileName: 'a.mp3', metadata: { m_n: 1 } })
    expect(upload.trackUpload).toEqual({ method: 'PUT', ttl: rest.json.track_upload.ttl })
    const second = await data(
      `mutation { createUploadTrack(uploadSessionId: "${uploadSession.id}", input: { fileName: "b.mp3" }) {
         uploadSession { id } upload { track { fileName collectionId } } } }`,
    )
    const { track } = second.createUploadTrack.upload
    expect(track).toEqual({ fileName: 'b.mp3', collectionId: service.demo.collection_id })
  })

  test('addTrackVariant', async () => {
    const body = { variant_type_id: 'preview', index: 'rest-clip', preview_seconds: 1, is_stereo: false }
    const rest = await service.v1('POST', `/track/${trackId}/variant`, { body })
    await service.runJobs()
    const payload = await data(
      `mutation { addTrackVariant(trackId: "${trackId}", input: {
         variantTypeId: "preview", index: "graphql-clip", previewSeconds: 1, isStereo: false }) {
         jobId variant { ${variantFields} trackId } } }`,
    )
    await service.runJobs()
    const variant = asRest(payload.addTrackVariant.variant)
    expect({ ...withoutIdentity(variant) }).toEqual(withoutIdentity(typed(rest.json.variant)))
  })

  test('rebuildTrack', async () => {
    const rest = (await service.v1('POST', `/track/${trackId}/rebuild`, { body: { is_only_stale: true } })).json
    const payload = await data(
      `mutation { rebuildTrack(id: "${trackId}", input: { isOnlyStale: true }) {
         jobId job { id state } track { ${trackFields} } } }`,
    )
    const { jobId, job, track } = payload.rebuildTrack
    expect([rest.track_id, job]).toEqual([trackId, { id: jobId, state: 'DONE' }])
    expect(asRest(track)).toEqual(typed(rest.track))
    expect(jobId).not.toBe(rest.job_id)
  })

  test('replaceRecording, cancelReplacement', async () => {
    const rest = (await service.v1('POST', `/track/${trackId}/recording`, { body: { file_name: 'a.wav' } })).json
    const fields = 'id fileName status statusCode statusText createdAt'
    const { replaceRecording } = await data(
      `mutation { replaceRecording(trackId: "${trackId}", input: { fileName: "a.wav" }) {
         track { id replacement { ${fields} } } replacement { ${fields} progressPercent } trackUpload { method ttl } } }`,
    )
    const { replacement, trackUpload, track } = replaceRecording
    const { progressPercent, ...withoutProgress } = replacement
    expect(track).toEqual({ id: trackId, replacement: withoutProgress })
    const { id: _, created_at: __, progress, ...restReplacement } = rest.replacement
    const { id, createdAt, ...shownFields } = asRest(withoutProgress)
    expect([shownFields, progressPercent]).toEqual([typed(restReplacement), progress])
    expect(trackUpload).toEqual({ method: rest.track_upload.method, ttl: rest.track_upload.ttl })
    expect(id).not.toBe(rest.replacement_id)
    const payload = await data(`mutation { cancelReplacement(trackId: "${trackId}") { replacement { id createdAt } } }`)
    expect(payload.cancelReplacement.replacement).toEqual({ id, createdAt })
  })

  test('restoreRecording', async () => {
    await service.services.db.track.updateMany({ where: { replacesId: trackId }, data: { statusCode: 'x' } })
    const created = await data(
      `mutation { replaceRecording(trackId: "${trackId}", input: { fileName: "b.wav" }) { trackUpload { uploadUrl } } }`,
    )
    const put = { method: 'PUT', body: new Blob([await tone(2)]) }
    await service.fetchEdge(created.replaceRecording.trackUpload.uploadUrl, put)
    await service.runJobs()
    const fields = 'id fileName duration sourceBytes replacedAt restorableUntil'
    const [former] = (await data(`{ track(id: "${trackId}") { formerRecordings { ${fields} info { codec } } } }`)).track
      .formerRecordings
    const { former_recordings: rest } = (await service.v1('GET', `/track/${trackId}/recording`)).json
    const { info, ...shownFields } = former
    expect([typed(rest[0]), info]).toEqual([shownFields, { codec: 'pcm_s16le' }])
    const payload = await data(
      `mutation { restoreRecording(trackId: "${trackId}", recordingId: "${former.id}") { track { ${trackFields} } } }`,
    )
    expect(asRest(payload.restoreRecording.track)).toEqual(
      typed((await service.v1('GET', `/track/${trackId}`)).json.track),
    )
  })

  test('updateOrganization', async () => {
    const id = service.demo.organization_id
    await data(
      `mutation { updateOrganization(id: "${id}", input: { playerColor: "#000080" }) { organization { id } } }`,
    )
    const { organization } = (await service.v1('GET', `/organization/${id}`)).json
    expect([organization.player_color, organization.player_color_dark]).toEqual(['#000080', '#0000ff'])
  })
})

describe('both interfaces refuse with the same code', () => {
  const unknown = '00000000-0000-7000-8000-000000000000'
  const refusals: [code: string, method: string, path: string, body: object | undefined, operation: string][] = [
    ['not_found', 'GET', `/creator/${unknown}`, undefined, `query { creator(id: "${unknown}") { id } }`],
    ['invalid_input', 'GET', '/creator/x', undefined, 'query { creator(id: "x") { id } }'],
    [
      'organization_index_taken',
      'POST',
      '/creator',
      { organization_index: 'parity' },
      'mutation { createCreator(input: { organizationIndex: "parity" }) { creator { id } } }',
    ],
    [
      'not_found',
      'POST',
      `/track/${unknown}/variant`,
      { variant_type_id: 'transcode', index: 'xx' },
      `mutation { addTrackVariant(trackId: "${unknown}", input: { variantTypeId: "transcode", index: "xx" }) { jobId } }`,
    ],
    ['not_found', 'POST', `/track/${unknown}/rebuild`, {}, `mutation { rebuildTrack(id: "${unknown}") { jobId } }`],
    [
      'invalid_input',
      'POST',
      '/play_session/collection',
      {},
      'mutation { createPlaySession(input: {}) { playSession { id } } }',
    ],
    ['not_found', 'GET', `/play_session/${unknown}`, undefined, `query { playSession(id: "${unknown}") { id } }`],
    ['expired', 'GET', '/upload_session/EXPIRED', undefined, 'query { uploadSession(id: "EXPIRED") { id } }'],
  ]
  test.each(refusals)('%s: %s %s', async (code, method, path, body, operation) => {
    let id = ''
    if (code === 'expired') {
      const session = { collection_id: service.demo.collection_id, expires_in: 60 }
      id = (await service.v1('POST', '/upload_session', { body: session })).json.upload_session_id
      service.clock.now = new Date(Date.now() + 61_000)
    }
    const rest = await service.v1(method, path.replace('EXPIRED', id), { body })
    const answer = await service.graphql(operation.replace('EXPIRED', id))
    service.clock.now = null
    expect(rest.json.code).toBe(code)
    expect(answer.errors[0].extensions.code).toBe(code)
  })
})
