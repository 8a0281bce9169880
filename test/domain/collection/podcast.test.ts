import { beforeAll, describe, expect, test } from 'bun:test'
import { podcastCategories } from '../../../src/domain/collection/podcast/categories.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService()
let trackId: string
let restCollection: Json
beforeAll(async () => {
  const body = { collection_id: service.demo.collection_id, file_name: 'a.wav' }
  trackId = (await service.v1('POST', '/track', { body })).json.track_id
  restCollection = (await service.v1('GET', `/collection/${service.demo.collection_id}`)).json.collection
})

const TOO_LONG = 'x'.repeat(4001)
const podcastNames = 'description language podcastCategory podcastType isExplicit author ownerName ownerEmail'
const update = (input: object) =>
  service.graphql(
    `mutation ($id: ID!, $input: UpdateCollectionInput!) {
       updateCollection(id: $id, input: $input) { collection { ${podcastNames} } } }`,
    { id: service.demo.collection_id, input },
  )
const episodeNames = 'description publishedAt season episode episodeType isExplicit'
const updateTrack = (input: object) =>
  service.graphql(
    `mutation ($id: ID!, $input: UpdateTrackInput!) { updateTrack(id: $id, input: $input) { track { ${episodeNames} } } }`,
    { id: trackId, input },
  )

const podcast = {
  description: 'Songs about\nwalking.',
  language: 'de-CH',
  podcastCategory: 'Music > Music History',
  podcastType: 'EPISODIC',
  isExplicit: true,
  author: 'A band',
  ownerName: 'Ada',
  ownerEmail: 'ada@example.com',
}

describe('the podcast fields of a collection', () => {
  test('have defaults, are set and cleared by GraphQL, and are not in /v1', async () => {
    const { data } = await service.graphql(`{ collection(id: "${service.demo.collection_id}") { ${podcastNames} } }`)
    const defaults = {
      description: null,
      language: null,
      podcastCategory: null,
      podcastType: 'SERIAL',
      isExplicit: false,
      author: null,
      ownerName: null,
      ownerEmail: null,
    }
    expect(data.collection).toEqual(defaults)
    expect((await update(podcast)).data.updateCollection.collection).toEqual(podcast)
    const { json } = await service.v1('PUT', `/collection/${service.demo.collection_id}`, {
      body: { language: 'fr', author: 'Another' },
    })
    expect(Object.keys(json.collection)).toEqual(Object.keys(restCollection))
    expect((await update({ author: null })).data.updateCollection.collection).toEqual({ ...podcast, author: null })
  })

  test('are set when it is created', async () => {
    const { data } = await service.graphql(
      `mutation ($input: CreateCollectionInput!) { createCollection(input: $input) { collection { ${podcastNames} } } }`,
      { input: { title: 'A show', ...podcast } },
    )
    expect(data.createCollection.collection).toEqual(podcast)
  })

  test('store a language in its canonical form', async () => {
    expect((await update({ language: 'PT-br' })).data.updateCollection.collection.language).toBe('pt-BR')
  })

  test.each([
    ['language', 'english language'],
    ['language', 'e'],
    ['podcastCategory', 'Songs'],
    ['podcastCategory', 'Music > Design'],
    ['ownerEmail', 'ada at example.com'],
    ['description', TOO_LONG],
    ['author', TOO_LONG],
  ])('refuse a value of %s that breaks its rule, row %#', async (field, value) => {
    const { errors } = await update({ [field]: value })
    expect(errors[0].extensions.code).toBe('invalid_input')
    expect(errors[0].message).toStartWith(`${field}: `)
  })

  test('have the 19 categories of Apple Podcasts and their subcategories', () => {
    expect(podcastCategories.filter((name) => !name.includes(' > '))).toHaveLength(19)
    expect(new Set(podcastCategories).size).toBe(podcastCategories.length)
    expect(podcastCategories).toContain('Society & Culture > Documentary')
  })
})

describe('the podcast fields of a track', () => {
  test('have defaults, are set and cleared by GraphQL, and are not in /v1', async () => {
    const before = (await service.v1('GET', `/track/${trackId}`)).json.track
    const { data } = await service.graphql(`{ track(id: "${trackId}") { ${episodeNames} } }`)
    const defaults = { description: null, publishedAt: null, season: null, episode: null, isExplicit: null }
    expect(data.track).toEqual({ ...defaults, episodeType: 'FULL' })
    const episode = {
      description: 'One night.',
      publishedAt: '2024-03-01T00:00:00.000Z',
      season: 2,
      episode: 4,
      episodeType: 'BONUS',
      isExplicit: true,
    }
    expect((await updateTrack(episode)).data.updateTrack.track).toEqual(episode)
    const { track } = (await service.v1('GET', `/track/${trackId}`)).json
    expect(Object.keys(track)).toEqual(Object.keys(before))
    expect((await updateTrack(defaults)).data.updateTrack.track).toEqual({ ...defaults, episodeType: 'BONUS' })
  })

  test.each([
    ['season', 0],
    ['episode', 100_001],
    ['description', TOO_LONG],
  ])('refuse a value of %s that breaks its rule, row %#', async (field, value) => {
    const { errors } = await updateTrack({ [field]: value })
    expect(errors[0].extensions.code).toBe('invalid_input')
    expect(errors[0].message).toStartWith(`${field}: `)
  })
})
