// Podcast feeds against the rules of directories, and what apps and caches do with them.
import { beforeAll, describe, expect, test } from 'bun:test'
import { dateEpisodes } from '../../../../src/domain/playback/podcast.ts'
import { tone } from '../../../support/audio.ts'
import { allRules, findBrokenRules, parseFeed } from '../../../support/feed-rules.ts'
import { measureImage } from '../../../support/image.ts'
import { stripes } from '../../../support/picture.ts'
import { processed } from '../../../support/processed.ts'
import { type Json, useTestService } from '../../../support/service.ts'

const service = useTestService()
const trackIds: string[] = []
let collectionId: string
let path: string

beforeAll(async () => {
  collectionId = service.demo.collection_id
  for (const name of ['one.wav', 'two.wav', 'three.wav']) {
    trackIds.push((await processed(service, await tone(1), name)).id)
  }
  path = `/s/collection/${collectionId}/${await shareKey()}/feed.xml`
})

async function shareKey(fields: object = {}): Promise<string> {
  const body = { title: 'A link', api_key_type_id: 'share', variants: ['hq'], ...fields }
  return (await service.v1('POST', '/api_key', { body })).json.api_key
}

const get = (address: string, headers: Record<string, string> = {}) =>
  service.request('GET', address.replace(service.demo.base_url, ''), { key: null, headers })
const readFeed = async () => parseFeed((await get(path)).text)

async function change(record: 'Collection' | 'Track', id: string, input: object): Promise<void> {
  const name = record.toLowerCase()
  const query = `mutation ($id: ID!, $input: Update${record}Input!) { update${record}(id: $id, input: $input) { ${name} { id } } }`
  expect((await service.graphql(query, { id, input })).errors).toBeUndefined()
}
const changeCollection = (input: object) => change('Collection', collectionId, input)
const changeTrack = (at: number, input: object) => change('Track', trackIds[at] ?? '', input)

const whole = {
  language: 'en',
  podcastCategory: 'Music > Music History',
  description: 'Songs & <walks>',
  author: 'A band',
  ownerName: 'Ada',
  ownerEmail: 'ada@example.com',
  isExplicit: false,
  podcastType: 'SERIAL',
}

describe('the feed of one subscriber', () => {
  const CREATE = `mutation ($input: CreateShareKeyInput!) { createShareKey(input: $input) { key record { isPrivateFeed } } }`
  const create = (input: object) => service.graphql(CREATE, { input: { title: 'Ada', variant: 'hq', ...input } })

  test('tells directories not to list it, and its page search engines; others do not', async () => {
    const { data } = await create({ collectionId, isPrivateFeed: true })
    const { key, record } = data.createShareKey
    expect(record.isPrivateFeed).toBe(true)
    await service.services.db.organization.updateMany({ data: { isIndexable: true } })
    const page = `/s/collection/${collectionId}/${key}`
    const feed = await get(`${page}/feed.xml`)
    expect(feed.text).toContain('<itunes:block>Yes</itunes:block>\n<podcast:block>yes</podcast:block>')
    expect(feed.headers.get('cache-control')).toStartWith('private')
    expect((await get(page)).text).toContain('name="robots" content="noindex"')
    const open = await get(path)
    expect([open.text.includes(':block>'), open.headers.get('cache-control')?.startsWith('public')]).toEqual([
      false,
      true,
    ])
    expect((await get(path.replace('/feed.xml', ''))).text).not.toContain('noindex')
    await service.services.db.organization.updateMany({ data: { isIndexable: false } })
  })

  test('is of a whole collection', async () => {
    for (const input of [{}, { collectionId, trackId: trackIds[0] }]) {
      const { errors } = await create({ ...input, isPrivateFeed: true })
      expect(errors[0].message).toBe('isPrivateFeed: requires a collection and no track')
    }
  })

  test('is listed apart, counts its plays, and ends when it is revoked while others go on', async () => {
    const [ada, bob] = await Promise.all(
      ['Ada', 'Bob'].map((title) => create({ title, collectionId, isPrivateFeed: true })),
    )
    const standard = await create({ collectionId })
    const keyOf = ({ data }: Json): string => data.createShareKey.key
    const list = (isPrivateFeed: boolean) =>
      service.graphql('query ($filter: KeyFilter) { keys(filter: $filter) { nodes { id title shareKey } } }', {
        filter: { kind: 'SHARE', collectionId, isPrivateFeed },
      })
    const feeds: Json[] = (await list(true)).data.keys.nodes
    expect(feeds.map(({ shareKey }) => shareKey)).toEqual(expect.arrayContaining([ada, bob].map(keyOf)))
    const links: Json[] = (await list(false)).data.keys.nodes
    expect(links.map(({ shareKey }) => shareKey)).toEqual([keyOf(standard)])

    await get(`/v1/stream/${trackIds[0]}/${keyOf(ada)}`)
    const { id } = feeds.find(({ shareKey }) => shareKey === keyOf(ada))
    const plays = await service.services.pool.query('SELECT count(*)::integer FROM play_event WHERE key_id = $1', [id])
    expect(plays.rows).toEqual([{ count: 1 }])
    await service.graphql('mutation ($id: ID!) { revokeKey(id: $id) { key { id } } }', { id })
    const statuses = await Promise.all(
      [ada, bob].map(async (feed) => (await get(`/s/collection/${collectionId}/${keyOf(feed)}/feed.xml`)).status),
    )
    expect(statuses).toEqual([404, 200])
  })
})

describe('a feed', () => {
  test('without the fields of a podcast breaks exactly the rules that need them', async () => {
    expect(findBrokenRules(await readFeed())).toEqual([
      'has a language',
      'has a category',
      'has the email address of its owner',
    ])
  })

  test('has the fields of the collection', async () => {
    const { json } = await service.v1('POST', `/collection/${collectionId}/cover`)
    const { upload_url: address } = json.collection_cover_upload
    const picture = new Blob([stripes(1500, [[1500, [20, 80, 200]]])])
    expect((await service.fetchEdge(address, { method: 'POST', body: picture })).status).toBe(200)
    await service.runJobs()
    await changeCollection(whole)
    const channel = await readFeed()
    const image = channel['itunes:image']['@href']
    expect(image).toMatch(/\/cover-artwork\.jpg\?v=\w+$/)
    const artwork = await service.fetchEdge((await get(image)).headers.get('location') ?? '')
    expect(await measureImage(await artwork.arrayBuffer())).toEqual({ codec: 'mjpeg', width: 1500, height: 1500 })
    expect(channel).toMatchObject({
      description: 'Songs & <walks>',
      language: 'en',
      'itunes:author': 'A band',
      'itunes:type': 'serial',
      'itunes:owner': { 'itunes:name': 'Ada', 'itunes:email': 'ada@example.com' },
      'itunes:category': { '@text': 'Music', 'itunes:category': { '@text': 'Music History' } },
      'itunes:explicit': 'false',
      'atom:link': [{ '@rel': 'self', '@href': service.demo.base_url + path }],
    })
    expect((await get(channel['itunes:image']['@href'])).status).toBe(302)
  })

  test.each<[shape: string, collection: object, tracks: object[]]>([
    ['of an album', {}, [{}, {}, {}]],
    ['of a show', { podcastType: 'EPISODIC', podcastCategory: 'News', isExplicit: true }, [{ episodeType: 'TRAILER' }]],
    ['of seasons', {}, [{ season: 1 }, { season: 2 }, { season: 2, episode: 9, isExplicit: true }]],
    ['of one release day', {}, Array(3).fill({ publishedAt: '2024-03-01T00:00:00Z' })],
    [
      'with texts that XML escapes',
      { description: '"<&>\'', author: '<b>' },
      [{ description: ']]> & <p>', playerTitle: '&amp;' }],
    ],
    ['with chapters and a transcription', {}, [{ chapters: [{ title: 'a', startSeconds: 0 }], transcription: 'La' }]],
  ])('%s breaks no rule of a directory', async (_, collection, tracks) => {
    const plain = {
      season: null,
      episode: null,
      publishedAt: null,
      isExplicit: null,
      episodeType: 'FULL',
      description: null,
      chapters: null,
      transcription: null,
      playerTitle: null,
    }
    await changeCollection({ ...whole, ...collection })
    for (const at of trackIds.keys()) await changeTrack(at, { ...plain, ...tracks[at] })
    const channel = await readFeed()
    expect(channel.item).toHaveLength(3)
    expect(findBrokenRules(channel)).toEqual([])
  })

  test('names the explicit ones, seasons and numbers of its episodes', async () => {
    await changeCollection(whole)
    await changeTrack(0, { season: 1, episodeType: 'FULL', description: 'First' })
    await changeTrack(1, { season: 2, isExplicit: true })
    await changeTrack(2, { season: 2, episodeType: 'BONUS' })
    const { item } = await readFeed()
    const values = (name: string) => item.map((episode: Json) => episode[name])
    expect(values('itunes:season')).toEqual(['1', '2', '2'])
    expect(values('itunes:episode')).toEqual(['1', '1', undefined])
    expect(values('itunes:episodeType')).toEqual(['full', 'full', 'bonus'])
    expect(values('itunes:explicit')).toEqual(['false', 'true', 'false'])
    expect(item[0].description).toBe('First')
    expect(item[0]['itunes:image']['@href']).toContain(`/s/${trackIds[0]}/`)
  })

  test('has enclosures of the exact length whose addresses play and count', async () => {
    const { item } = await readFeed()
    const { '@url': address, '@length': length, '@type': type } = item[0].enclosure
    expect(address).toEndWith('.m4a')
    const { status, headers } = await get(address)
    expect(status).toBe(302)
    const file = await service.fetchEdge(headers.get('location') ?? '')
    expect([file.headers.get('content-type'), (await file.bytes()).byteLength]).toEqual([type, Number(length)])
    expect((await get(address.replace('.m4a', 'x.m4a'))).status).toBe(404)
  })

  test('has the transcription as a file', async () => {
    await changeTrack(0, { transcription: 'La la <la>', transcriptionLanguage: 'en' })
    await changeTrack(1, { transcription: null })
    const { item } = await readFeed()
    const { '@url': address, ...attributes } = item[0]['podcast:transcript']
    expect(attributes).toEqual({ '@type': 'text/plain', '@language': 'en' })
    const { status, text, headers } = await get(address)
    expect([status, text, headers.get('content-type')]).toEqual([200, 'La la <la>', 'text/plain; charset=utf-8'])
    expect(item[1]['podcast:transcript']).toBeUndefined()
    expect((await get(address.replace(trackIds[0], trackIds[1]))).status).toBe(404)
  })

  const vtt = 'WEBVTT - Pier\n\n00:01.000 --> 00:02.000\n<v Ada>La &amp; lo\n'
  const srt = '1\r\n00:00:01,000 --> 00:00:02,000\r\nAda: La & lo\r\n'
  test.each([
    { transcription: vtt, forms: { vtt, srt: srt.replaceAll('\r', ''), txt: 'Ada: La & lo' } },
    {
      transcription: srt,
      forms: { srt, vtt: 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nAda: La &amp; lo\n', txt: 'Ada: La & lo' },
    },
  ])('has a transcription with times in both forms, and as text: $transcription', async ({ transcription, forms }) => {
    const types = { vtt: 'text/vtt', srt: 'application/x-subrip', txt: 'text/plain' }
    await changeTrack(0, { transcription })
    const listed: Record<string, string>[] = (await readFeed()).item[0]['podcast:transcript']
    const [first, second] = transcription === vtt ? (['vtt', 'srt'] as const) : (['srt', 'vtt'] as const)
    expect(listed.map((element) => element['@type'])).toEqual([types[first], types[second]])
    const address = listed[0]?.['@url'] ?? ''
    expect(listed.map((element) => element['@url'])).toEqual([address, address.replace(/\w+$/, second)])
    for (const [form, text] of Object.entries(forms)) {
      const file = await get(address.replace(/\w+$/, form))
      const type = types[form as keyof typeof types]
      expect([file.text, file.headers.get('content-type')]).toEqual([text, `${type}; charset=utf-8`])
    }
  })

  test.each(['WEBVTTs are not for everyone', '1\nis not a time --> arrow'])(
    'has other text as text: %s',
    async (text) => {
      await changeTrack(0, { transcription: text })
      const { '@url': address, '@type': type } = (await readFeed()).item[0]['podcast:transcript']
      expect([address.endsWith('/transcript.txt'), type]).toEqual([true, 'text/plain'])
      expect((await get(address)).text).toBe(text)
      for (const form of ['vtt', 'srt']) expect((await get(address.replace(/\w+$/, form))).status).toBe(404)
    },
  )

  test('has a transcription with times as text where a part of the recording plays', async () => {
    await changeTrack(0, { transcription: 'WEBVTT\n\n00:01.000 --> 00:02.000\nLa' })
    const { trackFile } = service.services.db
    const where = { trackId: trackIds[0], index: 'hq' }
    const { id, props } = await trackFile.findFirstOrThrow({ where })
    await trackFile.update({
      where: { id },
      data: { props: { ...(props as object), capture_start: 0, capture_end: 1 } },
    })
    const { translation } = service.services.db
    const text = 'WEBVTT\n\n00:01.000 --> 00:02.000\nLo'
    await translation.create({ data: { trackId: String(trackIds[0]), language: 'fr', text, form: 'vtt' } })
    const elements: Record<string, string>[] = (await readFeed()).item[0]['podcast:transcript']
    const addresses = elements.map((element) => element['@url'] ?? '')
    expect(addresses.map((address) => address.split('/').at(-1))).toEqual([
      'transcript.txt',
      'transcript.txt?language=fr',
    ])
    expect(elements.map((element) => element['@type'])).toEqual(['text/plain', 'text/plain'])
    for (const [at, sound] of ['La', 'Lo'].entries()) {
      const address = addresses[at] ?? ''
      expect((await get(address)).text).toBe(sound)
      expect((await get(address.replace('.txt', '.vtt'))).status).toBe(404)
    }
    const page = await get(String(addresses[0]).replace('transcript.txt', 'data'))
    expect([page.json.transcription, page.json.translations[0].form]).toEqual(['La', 'txt'])
    await translation.deleteMany()
    await trackFile.update({ where: { id }, data: { props: props as object } })
  })

  test('has the translations of a transcription, each with its language, and the transcription itself first', async () => {
    await changeTrack(0, { transcription: 'Good evening', transcriptionLanguage: 'EN' })
    const vtt = 'WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Abend\n'
    const { db } = service.services
    const trackId = String(trackIds[0])
    const translations = [
      { trackId, language: 'de', text: vtt, form: 'vtt' as const },
      { trackId, language: 'pt-BR', text: 'Boa noite', form: 'txt' as const },
      // Set before the language of the transcription was.
      { trackId, language: 'en', text: 'Hello', form: 'txt' as const },
    ]
    await db.translation.createMany({ data: translations })
    const elements = (await readFeed()).item[0]['podcast:transcript'] as Record<string, string>[]
    expect(elements.map(({ '@type': type, '@language': language }) => [type, language])).toEqual([
      ['text/plain', 'EN'],
      ['text/vtt', 'de'],
      ['application/x-subrip', 'de'],
      ['text/plain', 'pt-BR'],
    ])
    const files = await Promise.all(elements.map(({ '@url': url = '' }) => get(url)))
    expect(files.map(({ text }) => text)).toEqual([
      'Good evening',
      vtt,
      '1\n00:00:01,000 --> 00:00:02,000\nGuten Abend\n',
      'Boa noite',
    ])
    expect(files.map(({ headers }) => headers.get('content-language'))).toEqual(['EN', 'de', 'de', 'pt-BR'])
    const german = elements[1]?.['@url'] ?? ''
    expect((await get(german.replace('=de', '=en'))).status).toBe(404)
    for (const tag of ['fr', '', '%00', 'x'.repeat(2000)])
      expect((await get(german.replace('=de', `=${tag}`))).status).toBe(404)
    expect((await get(german.replace('=de', '=DE'))).text).toBe(vtt)
    expect((await get(german.replace('.vtt', '.txt'))).text).toBe('Guten Abend')
    const { json } = await get(german.replace(/transcript.*/, 'data'))
    expect(json.translations.map(({ language, form }: Json) => [language, form])).toEqual([
      ['de', 'vtt'],
      ['pt-BR', 'txt'],
    ])
    await db.translation.deleteMany()
  })

  test('lists an episode from the time of its publication on', async () => {
    await changeTrack(2, { publishedAt: '2090-01-01T00:00:00Z' })
    expect((await readFeed()).item).toHaveLength(2)
    await changeTrack(2, { publishedAt: '2020-01-01T00:00:00Z' })
    expect((await readFeed()).item[2].pubDate).toBe('Wed, 01 Jan 2020 00:00:00 GMT')
  })

  test('has the same GUID for every key', async () => {
    const other = await get(`/s/collection/${collectionId}/${await shareKey()}/feed.xml`)
    expect(parseFeed(other.text)['podcast:guid']).toBe((await readFeed())['podcast:guid'])
  })

  test('is not sent again to a client that has it', async () => {
    const { headers } = await get(path)
    const etag = headers.get('etag') ?? ''
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(new Date(headers.get('last-modified') ?? '').getTime()).toBeLessThanOrEqual(Date.now())
    for (const sentTag of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const again = await get(path, { 'if-none-match': sentTag })
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
    }
    await changeTrack(0, { description: 'Another' })
    expect((await get(path, { 'if-none-match': etag })).status).toBe(200)
  })
})

describe('the rules of directories', () => {
  test('have their sources', () => {
    expect(allRules.filter(({ source }) => !URL.canParse(source))).toEqual([])
  })

  /** Edits of a feed that breaks no rule, by the rule that they break. */
  const edits: [name: string, from: RegExp, to: string][] = [
    ['names the namespace of iTunes', /podcast-1\.0\.dtd/, 'podcast-2.0.dtd'],
    ['has a title', /<title>[^<]*<\/title>/, '<title></title>'],
    ['has a description', /<description>[^<]*<\/description>/, '<description></description>'],
    ['has at most 4000 bytes of description', /<description>/, `<description>${'ä'.repeat(2001)}`],
    ['has a language', /<language>en</, '<language>English<'],
    ['has a category', /text="Music History"/, 'text="Songs"'],
    ['says whether it is explicit', /explicit>false</, 'explicit>clean<'],
    ['has an image as JPEG or PNG', /cover-artwork\.jpg/, 'cover.webp'],
    ['has a type', /<itunes:type>serial</, '<itunes:type>album<'],
    ['has an episode', /<item>.*<\/item>/s, ''],
    ['has titles of episodes', /(<item>)<title>[^<]*<\/title>/, '$1'],
    ['has enclosures with address, length and type', / length="\d+"/, ' length="0"'],
    ['has enclosures with the extension of their type', /\.m4a"/, '.ogg"'],
    ['has a GUID for each episode', /<guid [^>]*>[^<]*<\/guid>/, ''],
    ['has dates as RFC 2822', /<pubDate>/, '<pubDate>on '],
    ['has durations in seconds', /duration>\d+</, 'duration>1.5<'],
    ['has types of episodes', /episodeType>full</, 'episodeType>song<'],
    ['has numbers from 1', /<itunes:episode>1</, '<itunes:episode>0<'],
    ['has numbers of the full episodes of a serial podcast', /<itunes:episode>1<\/itunes:episode>/, ''],
    ['has the email address of its owner', /<itunes:email>[^<]*<\/itunes:email>/, ''],
    ['has an author', /<itunes:author>[^<]*<\/itunes:author>/, ''],
    ['has a link', /<link>[^<]*<\/link>/, ''],
    ['names the namespaces of Atom and podcasts', /namespace\/1\.0"/, 'namespace/9"'],
    ['has a link to itself', /rel="self"/, 'rel="next"'],
    ['has a UUID of version 5', /<podcast:guid>/, '<podcast:guid>x'],
    ['has chapters as JSON', /application\/json\+chapters/, 'application/json'],
    ['has transcripts with a type', /type="text\/plain"/, 'type="text/x"'],
  ]
  test.each(edits)('find a feed that breaks one: %s', async (name, from, to) => {
    await changeCollection(whole)
    const plain = { season: null, episode: null, publishedAt: null, isExplicit: null, episodeType: 'FULL' }
    for (const at of trackIds.keys()) await changeTrack(at, plain)
    await changeTrack(0, { transcription: 'La', chapters: [{ title: 'a', startSeconds: 0 }] })
    const { text } = await get(path)
    expect(findBrokenRules(parseFeed(text))).toEqual([])
    expect(findBrokenRules(parseFeed(text.replace(from, to)))).toEqual([name])
  })

  test('find two episodes with the same date', async () => {
    const channel = await readFeed()
    const item = channel.item.map((episode: Json) => ({ ...episode, pubDate: channel.item[0].pubDate }))
    expect(findBrokenRules({ ...channel, item })).toEqual(['has a different date for each episode'])
    expect(edits).toHaveLength(allRules.length - 1)
  })
})

describe('times of publication', () => {
  const date = (created: string, published: string | null = null) => ({
    createdAt: new Date(`2026-01-01T${created}Z`),
    publishedAt: published === null ? null : new Date(`2026-01-01T${published}Z`),
  })
  const written = (tracks: Parameters<typeof dateEpisodes>[0]) =>
    dateEpisodes(tracks).map((time) => time.toISOString().slice(11, 23))

  test('are those of creation in whole seconds', () => {
    expect(written([date('10:00:00.900'), date('10:05:00.100')])).toEqual(['10:00:00.000', '10:05:00.000'])
  })

  test('are in the order of the collection, different, and not in the future', () => {
    const tracks = [date('10:00:03.500'), date('10:00:03.100'), date('10:00:01'), date('10:00:03')]
    expect(written(tracks)).toEqual(['09:59:59.000', '10:00:00.000', '10:00:01.000', '10:00:03.000'])
  })

  test('do not change for a track that is added at the end', () => {
    const tracks = [date('10:00:02'), date('10:00:01')]
    expect(written([...tracks, date('10:09:00')]).slice(0, 2)).toEqual(written(tracks))
  })

  test('are those that were set, in order when they are the same', () => {
    const tracks = [date('10:00:00', '08:00:00'), date('10:00:01', '08:00:00'), date('08:00:01')]
    expect(written(tracks)).toEqual(['08:00:00.000', '08:00:01.000', '07:59:59.000'])
  })
})
