// The transcription of a track in other languages: as clients set it, as searches find it, and as listeners get it.
import { beforeAll, describe, expect, test } from 'bun:test'
import { readTranscriptWordsTask } from '../../../src/domain/track/transcript/words.task.ts'
import { MAX_TRANSLATIONS } from '../../../src/domain/track/translation/record.ts'
import { createForeign, createTrack, ok, refused } from '../../spec/support.ts'
import { codeOf, data, post, signIn, sql } from '../../support/administrators.ts'
import { playableTrack } from '../../support/playable.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService()
let owner: string
let track: string
beforeAll(async () => {
  owner = (await signIn(service)).token
})

const GERMAN = 'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>Guten Abend &amp; willkommen\n'

async function newTrack(transcription: string | null = null, language: string | null = null): Promise<string> {
  track = (await createTrack(service)).id
  ok(await service.v1('PUT', `/track/${track}`, { body: { transcription, transcription_language: language } }))
  return track
}
const put = (language: string, text: string, id = track) =>
  service.v1('PUT', `/track/${id}/translation/${language}`, { body: { text } })
const get = async (language: string) => service.v1('GET', `/track/${track}/translation/${language}`)
const listed = async (): Promise<Json[]> => ok(await service.v1('GET', `/track/${track}/translation`)).translations

const TRANSLATIONS = `query ($id: ID!, $language: String) { track(id: $id) { translations(language: $language) {
  id language form text transcript(form: TXT) srt: transcript(form: SRT) createdAt updatedAt } } }`
const translations = async (language?: string): Promise<Json[]> =>
  (await data(service, TRANSLATIONS, { id: track, language }, owner)).track.translations

describe('in /v1', () => {
  test('a translation is set, read, replaced and deleted', async () => {
    await newTrack('Good evening', 'en')
    const set = ok(await put('de', GERMAN))
    expect(set).toMatchObject({ track_id: track, translation: { language: 'de', form: 'vtt', text: GERMAN } })
    ok(await put('fr', 'Bonsoir'))
    expect(ok(await get('de')).translation).toEqual(set.translation)
    const all = await listed()
    expect(all.map(({ language, form }) => [language, form])).toEqual([
      ['de', 'vtt'],
      ['fr', 'txt'],
    ])
    expect(all[0]).not.toHaveProperty('text')
    const replaced = ok(await put('de', '1\n00:00:01,000 --> 00:00:02,000\nHallo\n')).translation
    expect(replaced).toMatchObject({ id: set.translation.id, form: 'srt', created_at: set.translation.created_at })
    expect(ok(await service.v1('DELETE', `/track/${track}/translation/de`)).deleted_translation).toEqual(replaced)
    refused(await get('de'), 404, 'not_found', 'language')
    refused(await service.v1('DELETE', `/track/${track}/translation/de`), 404, 'not_found', 'language')
    expect((await listed()).map(({ language }) => language)).toEqual(['fr'])
  })

  test('a tag has one form, so that a language has one translation', async () => {
    await newTrack()
    ok(await put('PT-br', 'Boa noite'))
    ok(await put('pt-BR', 'Olá'))
    expect((await listed()).map(({ language }) => language)).toEqual(['pt-BR'])
    expect(ok(await get('pt-br')).translation.text).toBe('Olá')
  })

  test('what is invalid is refused with its field', async () => {
    await newTrack('Good evening', 'en')
    refused(await put('de_AT', 'a'), 400, 'invalid_input', 'language')
    refused(await put('d', 'a'), 400, 'invalid_input', 'language')
    refused(await put('de', ''), 400, 'invalid_input', 'text')
    refused(await put('de', 'a\u0000'), 400, 'invalid_input', 'text')
    refused(await put('de', 'a'.repeat(524_289)), 400, 'invalid_input', 'text')
    ok(await put('de', 'a'.repeat(524_288)))
    refused(await put('EN', 'a'), 400, 'invalid_input', 'language')
    ok(await service.v1('PUT', `/track/${track}`, { body: { transcription_language: 'EN-us' } }))
    refused(await put('en-US', 'a'), 400, 'invalid_input', 'language')
    ok(await put('en-GB', 'a'))
  })

  test('of no other organization, and of no deleted track', async () => {
    const { key } = await createForeign(service)
    await newTrack()
    ok(await put('de', 'Hallo'))
    for (const path of [`/track/${track}/translation`, `/track/${track}/translation/de`])
      refused(await service.v1('GET', path, { key }), 404, 'not_found', 'track_id')
    refused(
      await service.v1('PUT', `/track/${track}/translation/de`, { key, body: { text: 'a' } }),
      404,
      'not_found',
      'track_id',
    )
    refused(await service.v1('DELETE', `/track/${track}/translation/de`, { key }), 404, 'not_found', 'track_id')
    ok(await service.v1('DELETE', `/track/${track}`))
    refused(await put('de', 'a'), 404, 'not_found', 'track_id')
    refused(await get('de'), 404, 'not_found', 'track_id')
  })
})

test('a track has at most 20, also when several are set at once', async () => {
  await newTrack()
  const tags = Array.from({ length: MAX_TRANSLATIONS + 4 }, (_, at) => `en-x-${at}`)
  const answers = await Promise.all(tags.map((tag) => put(tag, 'a')))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(MAX_TRANSLATIONS)
  expect(answers.find(({ status }) => status !== 200)?.json.code).toBe('limit_reached')
  const [first] = await listed()
  ok(await put(first?.language, 'b'))
})

describe('GraphQL', () => {
  const SET = `mutation ($trackId: ID!, $input: SetTranslationInput!) {
    setTranslation(trackId: $trackId, input: $input) { track { id } translation { language text } } }`
  const DELETE = `mutation ($trackId: ID!, $language: String!) {
    deleteTranslation(trackId: $trackId, language: $language) { track { translations { language } } deletedTranslation { text } } }`

  test('sets, reads and deletes a translation', async () => {
    await newTrack()
    const input = { language: 'DE', text: GERMAN }
    expect(await data(service, SET, { trackId: track, input }, owner)).toEqual({
      setTranslation: { track: { id: track }, translation: { language: 'de', text: GERMAN } },
    })
    ok(await put('fr', 'Bonsoir'))
    expect(await translations()).toMatchObject([
      { language: 'de', form: 'VTT', transcript: 'Ada: Guten Abend & willkommen' },
      { language: 'fr', form: 'TXT', transcript: 'Bonsoir', srt: null },
    ])
    expect((await translations('fr')).map(({ text }) => text)).toEqual(['Bonsoir'])
    expect((await translations('FR')).map(({ text }) => text)).toEqual(['Bonsoir'])
    for (const tag of ['es', '', '\u0000', 'f'.repeat(60)]) expect(await translations(tag)).toEqual([])
    expect(await data(service, DELETE, { trackId: track, language: 'de' }, owner)).toEqual({
      deleteTranslation: { track: { translations: [{ language: 'fr' }] }, deletedTranslation: { text: GERMAN } },
    })
  })

  test('a change is one of the track, and the activity names the language', async () => {
    await newTrack()
    const before = await data(service, 'query ($id: ID!) { track(id: $id) { updatedAt } }', { id: track }, owner)
    ok(await put('de', 'Hallo'))
    ok(await put('de', 'Guten Abend'))
    ok(await service.v1('DELETE', `/track/${track}/translation/de`))
    const { track: after, activities } = await data(
      service,
      `query ($id: ID!) { track(id: $id) { updatedAt }
        activities(first: 3, filter: { recordId: $id }) { nodes { action record changes { field before after } } } }`,
      { id: track },
      owner,
    )
    expect(Date.parse(after.updatedAt)).toBeGreaterThan(Date.parse(before.track.updatedAt))
    expect(activities.nodes.map(({ changes: [{ before, after }] }: Json) => [before, after])).toEqual([
      ['de', null],
      [null, null],
      [null, 'de'],
    ])
    for (const { action, record, changes } of activities.nodes)
      expect([action, record, changes[0].field]).toEqual(['UPDATED', 'TRACK', 'translation'])
  })
})

test('a play session has the translations of what it plays', async () => {
  const id = await playableTrack(service)
  ok(await put('de', GERMAN, id))
  ok(await put('fr', 'Bonsoir', id))
  const body = { track_id: id }
  const { play_session_id: session } = ok(await service.v1('POST', '/play_session/track', { body }))
  const { playSession } = await data(
    service,
    `query ($id: ID!) { playSession(id: $id) { firstTrack {
      translations { language } german: translations(language: "de") { transcript(form: TXT) } } } }`,
    { id: session },
  )
  expect(playSession.firstTrack).toEqual({
    translations: [{ language: 'de' }, { language: 'fr' }],
    german: [{ transcript: 'Ada: Guten Abend & willkommen' }],
  })
})

describe('a search', () => {
  const FOUND = `query ($search: String!, $id: ID!) { tracks(filter: { transcript: $search }) { nodes { id } }
    track(id: $id) { transcriptHits(search: $search) { language startSeconds parts { text isMatch } } } }`
  async function search(words: string) {
    const { tracks, track: searched } = await data(service, FOUND, { search: words, id: track }, owner)
    return { ids: tracks.nodes.map(({ id }: Json) => id), hits: searched.transcriptHits as Json[] }
  }

  test('finds the words of a translation, with their place and language', async () => {
    await newTrack('Good evening, welcome everyone', 'en')
    ok(await put('de', GERMAN.replace('Abend', 'Häuser')))
    const { ids, hits } = await search('haus willkommen')
    expect(ids).toEqual([track])
    expect(hits).toMatchObject([{ language: 'de', startSeconds: 1 }])
    expect(hits[0]?.parts.filter(({ isMatch }: Json) => isMatch).map(({ text }: Json) => text)).toEqual([
      'Häuser',
      'willkommen',
    ])
    expect((await search('evening')).hits).toMatchObject([{ language: 'en', startSeconds: null }])
    // The transcription is first where both have the words, and the first translation of several.
    ok(await put('fr', 'Welcome everyone'))
    ok(await put('en-GB', 'It was recorded'))
    expect((await search('recordings')).hits).toMatchObject([{ language: 'en-GB' }])
    ok(await put('da', 'Velkommen alle'))
    ok(await put('nl', 'Welkom, velkommen alle'))
    expect((await search('welcome')).hits).toMatchObject([{ language: 'en' }])
    expect((await search('velkommen alle')).hits).toMatchObject([{ language: 'da' }])
    // Words of two texts are not in one.
    expect((await search('evening willkommen')).ids).toEqual([])
  })

  test('finds the present words only', async () => {
    await newTrack()
    ok(await put('de', 'vorläufig'))
    ok(await put('de', 'endgültig'))
    expect([(await search('vorläufig')).ids, (await search('endgültig')).ids]).toEqual([[], [track]])
    ok(await service.v1('DELETE', `/track/${track}/translation/de`))
    expect(await search('endgültig')).toEqual({ ids: [], hits: [] })
  })

  test('finds a long translation after the task has read it', async () => {
    await newTrack()
    ok(await put('de', `langwierig ${'und so weiter '.repeat(1200)}`))
    ok(await put('fr', `langwierig ${'et ainsi de suite '.repeat(1000)}`))
    expect((await search('langwierig')).ids).toEqual([])
    await readTranscriptWordsTask.run(service.services, {}, { signal: new AbortController().signal, attempt: 1 })
    expect((await search('langwierig')).ids).toEqual([track])
    const { rows } = await sql(service, 'SELECT FROM translation WHERE words IS NULL')
    expect(rows).toEqual([])
  })
})

test('a list of tracks shows languages, and refuses texts', async () => {
  await newTrack()
  ok(await put('de', 'Hallo'))
  const list = (fields: string) =>
    post(service, `{ tracks(first: 1) { nodes { translations { ${fields} } } } }`, {}, { key: owner })
  expect((await list('language form')).json.data.tracks.nodes[0].translations).toEqual([
    { language: 'de', form: 'TXT' },
  ])
  expect(codeOf(await list('text'))).toBe('invalid_input')
})
