// Words of transcripts: which tracks a search finds, and where.
import { beforeAll, describe, expect, test } from 'bun:test'
import { listWaiting, readTranscriptWordsTask } from '../../../src/domain/track/transcript/words.task.ts'
import { createForeign, createTrack, ok } from '../../spec/support.ts'
import { data, post, signIn, sql } from '../../support/administrators.ts'
import { type Call, type Json, useTestService } from '../../support/service.ts'

const service = useTestService()
let owner: string
beforeAll(async () => {
  owner = (await signIn(service)).token
})

/** Creates a track with a transcription. @param collection of another organization, with its key */
async function say(
  transcription: string | null,
  language: string | null = null,
  collection: object = {},
  call: Call = {},
) {
  const { id }: { id: string } = await createTrack(service, collection, call)
  const body = { transcription, transcription_language: language }
  ok(await service.v1('PUT', `/track/${id}`, { ...call, body }))
  return id
}

const FOUND = 'query ($transcript: String!) { tracks(filter: { transcript: $transcript }) { totalCount nodes { id } } }'
async function find(transcript: string, key = owner): Promise<string[]> {
  const { tracks } = await data(service, FOUND, { transcript }, key)
  expect(tracks.totalCount).toBe(tracks.nodes.length)
  return tracks.nodes.map(({ id }: Json) => id)
}

const HITS = `query ($id: ID!, $search: String!, $first: Int) { track(id: $id) { transcriptHits(search: $search, first: $first) {
  startSeconds endSeconds speaker parts { text isMatch } } } }`
const hitsOf = async (id: string, search: string, first?: number): Promise<Json[]> =>
  (await data(service, HITS, { id, search, first }, owner)).track.transcriptHits
/** Matches in brackets. */
const writeParts = ({ parts }: Json) => parts.map(({ text, isMatch }: Json) => (isMatch ? `[${text}]` : text)).join('')

describe('a search finds', () => {
  test.each([
    ['a word in another case', 'The Bakery at night', null, 'BAKERY'],
    ['words in any order, far from each other', `Bakery ${'and so on '.repeat(900)} river`, null, 'river bakery'],
    ['the beginning of a word', 'A synthesizer', null, 'syn'],
    ['words next to quotation marks and dashes', '„Hallo“ — sagte sie…', null, 'hallo sagte sie'],
    ['words without their marks', 'Der Vögel Café', null, 'vogel cafe'],
    ['marks that the text lacks', 'Cafe', null, 'CAFÉ'],
    ['words of which languages have no use alone', 'To be or not to be', 'en', 'to be or not to be'],
    ['another ending in English', 'They recorded it', 'en', 'recordings'],
    ['another ending in German, by the language with a region', 'Das Haus am Fluss', 'de-AT', 'Häuser'],
    ['another ending in Russian, which folding would destroy', 'новый дом', 'ru', 'новые'],
    ['an ending that is found by the stem of the search only', 'the policy', 'en-GB', 'policies'],
    ['characters of a script without spaces', '音楽の時間', 'ja', '時間'],
    ['Hindi, whose vowels are marks', 'यह हिन्दी है', 'hi', 'हिन्दी'],
    ['an apostrophe', "I don't know", 'en', "don't know"],
  ])('%s', async (_, transcription, language, search) => {
    const id = await say(transcription, language)
    expect(await find(search)).toContain(id)
    expect((await hitsOf(id, search)).length).toBeGreaterThan(0)
  })

  test.each([
    ['a word that is missing', 'one two', 'one three'],
    ['the beginning of a word with two letters', 'synthesizer', 'sy'],
    ['the end of a word', 'synthesizer', 'sizer'],
    ['an ending without a language', 'recorded', 'recording'],
    ['signs only', 'one - two', '- …'],
    ['times and numbers of cues', 'WEBVTT\n\n1\n00:59:01.000 --> 00:59:02.000\nhello', '59'],
    [
      'markup and comments',
      'WEBVTT\n\nNOTE secretly\nhidden\n\n00:01.000 --> 00:02.000\n<v Bob><i.loud>hi</i>',
      'loud',
    ],
    ['what a comment says', 'WEBVTT\n\nNOTE secretly\nhidden\n\n00:01.000 --> 00:02.000\nhi', 'hidden'],
  ])('not %s', async (_, transcription, search) => {
    const id = await say(transcription)
    expect(await find(search)).not.toContain(id)
  })

  test('the words of the present text, by its present language', async () => {
    const id = await say('first version recorded', 'en')
    expect(await find('recording version')).toContain(id)
    ok(await service.v1('PUT', `/track/${id}`, { body: { transcription_language: 'de' } }))
    expect(await find('recording version')).not.toContain(id)
    ok(await service.v1('PUT', `/track/${id}`, { body: { transcription: 'second draft' } }))
    expect([await find('version first'), await find('draft second')]).toEqual([[], [id]])
    ok(await service.v1('PUT', `/track/${id}`, { body: { transcription: null } }))
    expect(await find('draft second')).toEqual([])
  })

  test('not a deleted track, until it is restored', async () => {
    const id = await say('ephemeral')
    ok(await service.v1('DELETE', `/track/${id}`))
    expect(await find('ephemeral')).toEqual([])
    await sql(service, 'UPDATE track SET deleted_at = NULL WHERE id = $1', [id])
    expect(await find('ephemeral')).toEqual([id])
  })
})

test('a search finds nothing of another organization, also one whose ID ends alike', async () => {
  const foreign = await createForeign(service)
  const id = await say('clandestine', null, { collection_id: foreign.collectionId }, { key: foreign.key })
  expect(await find('clandestine')).toEqual([])
  const end = service.demo.organization_id.slice(-8)
  await sql(service, `UPDATE transcript_words SET words = array_to_tsvector(ARRAY[$1]) WHERE track_id = $2`, [
    `${end}clandestine`,
    id,
  ])
  expect(await find('clandestine')).toEqual([])
})

test('a long transcription waits for the task', async () => {
  const foreign = await createForeign(service)
  const long = (word: string) => `${word} ${'and so on '.repeat(1700)}`
  const ids = [
    await say(long('protracted')),
    await say(long('protracted')),
    await say(long('protracted'), null, { collection_id: foreign.collectionId }, { key: foreign.key }),
  ]
  expect(await find('protracted')).toEqual([])
  const run = { signal: new AbortController().signal, attempt: 1 }
  await readTranscriptWordsTask.run(service.services, {}, run)
  expect((await find('protracted')).sort()).toEqual(ids.slice(0, 2).sort())
  // Up to 16,384 characters none waits.
  const brief = await say(`brief${'.'.repeat(16_379)}`)
  const lengthy = await say(`brief${'.'.repeat(16_380)}`)
  expect(await find('brief')).toEqual([brief])
  await readTranscriptWordsTask.run(service.services, {}, run)
  expect((await find('brief')).sort()).toEqual([brief, lengthy].sort())
})

test('transcripts of one organization do not wait for the rest of another', async () => {
  const { collectionId, key } = await createForeign(service)
  for (let count = 0; count < 25; count += 1) await say('turn')
  const id = await say('turn', null, { collection_id: collectionId }, { key })
  await sql(
    service,
    `UPDATE transcript_words SET words = NULL WHERE track_id IN (SELECT id FROM track WHERE transcription = 'turn')`,
  )
  const ids = await listWaiting(service.services.pool)
  expect([ids.length, ids.indexOf(id) < 2]).toEqual([21, true])
  await readTranscriptWordsTask.run(service.services, {}, { signal: new AbortController().signal, attempt: 1 })
  expect([(await find('turn')).length, await listWaiting(service.services.pool)]).toEqual([25, []])
})

test('a transcript that fails holds up no other, and is read by the next run', async () => {
  const [failing, ...others] = [await say('unlucky'), await say('unlucky'), await say('unlucky')]
  await sql(service, 'UPDATE transcript_words SET words = NULL WHERE track_id = ANY($1::uuid[])', [
    [failing, ...others],
  ])
  await sql(
    service,
    `CREATE FUNCTION fail_words() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'of this test'; END $$;
     CREATE TRIGGER fail_words BEFORE UPDATE ON transcript_words FOR EACH ROW WHEN (NEW.track_id = '${failing}')
     EXECUTE FUNCTION fail_words()`,
  )
  const run = () =>
    readTranscriptWordsTask.run(service.services, {}, { signal: new AbortController().signal, attempt: 1 })
  await run()
  expect((await find('unlucky')).sort()).toEqual(others.sort())
  await sql(service, 'DROP FUNCTION fail_words CASCADE')
  await run()
  expect(await find('unlucky')).toHaveLength(3)
})

test('transcripts from before the migration are read by the task', async () => {
  const id = await say('antediluvian')
  const script = await Bun.file('src/platform/db/migrations/20261128150100_earlier_transcripts.sql').text()
  await sql(service, 'DELETE FROM transcript_words')
  await sql(service, /^INSERT [^;]+;/m.exec(script)?.[0] ?? '')
  expect(await find('antediluvian')).toEqual([])
  await readTranscriptWordsTask.run(service.services, {}, { signal: new AbortController().signal, attempt: 1 })
  expect(await find('antediluvian')).toEqual([id])
})

test('a stem is cut to 64 characters, also one whose folding is 18 times as long', async () => {
  const id = await say(`fitting ${'\ufdfa'.repeat(50)}`, 'en')
  expect(await find('fitting')).toEqual([id])
  const { rows } = await sql(
    service,
    'SELECT max(length(lexeme)) < 80 AS brief FROM transcript_words, unnest(words) WHERE track_id = $1',
    [id],
  )
  expect(rows).toEqual([{ brief: true }])
})

test('the longest text of different words is stored and found', async () => {
  const words = Array.from({ length: 80_000 }, (_, at) => (at + 1_000_000).toString(36)).join(' ')
  const id = await say(`needle ${words}`, 'en')
  await readTranscriptWordsTask.run(service.services, {}, { signal: new AbortController().signal, attempt: 1 })
  // A vector with more than its MiB has no error, and other words.
  const { rows } = await sql(
    service,
    `SELECT count(*) > 20000 AS many, bool_and(lexeme ~ $1) AS whole FROM transcript_words, unnest(words) WHERE track_id = $2`,
    [`^${service.demo.organization_id.slice(-8)}(en:)?[a-z0-9]{1,6}$`, id],
  )
  expect(rows).toEqual([{ many: true, whole: true }])
  expect((await hitsOf(id, 'needle')).map(writeParts)[0]).toStartWith('[needle] ')
}, 60_000)

describe('the hits of a track', () => {
  const VTT = `WEBVTT

00:01.000 --> 00:02.500
<v Ann>We recorded a song

00:03.000 --> 00:04.000
nothing here

1:00:00.000 --> 1:00:02.000
Recording songs &amp; voices
is a craft`

  test('are cues with their times, their speaker and marked words', async () => {
    const hits = await hitsOf(await say(VTT, 'en'), 'recording song')
    expect(hits.map(({ parts: _, ...span }) => span)).toEqual([
      { startSeconds: 1, endSeconds: 2.5, speaker: 'Ann' },
      { startSeconds: 3600, endSeconds: 3602, speaker: null },
    ])
    expect(hits.map(writeParts)).toEqual(['We [recorded] a [song]', '[Recording] [songs] & voices is a craft'])
  })

  test('are those with the most words of the search, in the order of the recording', async () => {
    const id = await say('one\ntwo\none two\nthree\nTwo three one')
    expect((await hitsOf(id, 'one two three', 2)).map(writeParts)).toEqual(['[one] [two]', '[Two] [three] [one]'])
    expect(await hitsOf(id, 'one two three', 1)).toMatchObject([
      { startSeconds: null, endSeconds: null, speaker: null },
    ])
    expect(await hitsOf(id, 'four')).toEqual([])
    expect(await hitsOf(await say(null), 'one')).toEqual([])
  })

  test('of a text without lines are passages of at most 200 characters, between words', async () => {
    const hits = await hitsOf(await say(`${'lorem ipsum '.repeat(40)}needle ${'dolor sit '.repeat(40)}`), 'needle')
    expect(hits).toHaveLength(1)
    expect(writeParts(hits[0]).length).toBeLessThanOrEqual(202)
    expect(writeParts(hits[0])).toMatch(/^(lorem|ipsum) .*\[needle\]/)
  })

  test('mark characters of a script without spaces, and words with composed marks', async () => {
    expect((await hitsOf(await say('音楽の時間'), '時間')).map(writeParts)).toEqual(['音楽の[時間]'])
    expect((await hitsOf(await say('Cafe\u0301s au lait', 'fr'), 'café')).map(writeParts)).toEqual([
      '[Cafe\u0301s] au lait',
    ])
  })

  test.each([
    [{ search: '' }, 'search: must'],
    [{ search: 'x'.repeat(201) }, 'search: must'],
    [{ search: 'x', first: 0 }, 'first: must'],
    [{ search: 'x', first: 21 }, 'first: must'],
  ])('refuse %o', async (variables, message) => {
    const id = await say('x')
    const { json } = await post(service, HITS, { id, ...variables }, { key: owner })
    expect(json.errors[0].message).toContain(message)
  })
})
