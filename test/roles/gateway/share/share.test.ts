import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { tone } from '../../../support/audio.ts'
import { type Processed, processed, readTrack } from '../../../support/processed.ts'
import { type Json, useTestService } from '../../../support/service.ts'

const service = useTestService()
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
let track: Processed
let unprocessed: string
beforeAll(async () => {
  track = await processed(service, await tone(1), 'song.wav')
  const body = { player_title: 'A <b>"song"</b> & more', player_subtitle: 'The {nonce} </script> band' }
  expect((await service.v1('PUT', `/track/${track.id}`, { body })).status).toBe(200)
  const empty = { collection_id: service.demo.collection_id, file_name: 'never-uploaded.wav' }
  unprocessed = (await service.v1('POST', '/track', { body: empty })).json.track_id
})

const get = (path: string, headers: Record<string, string> = browser) =>
  service.request('GET', path, { key: null, headers })

/** Creates a share key of the demo collection's variant `hq`. */
async function shareKey(fields: object = {}): Promise<{ id: string; key: string }> {
  const body = { title: 'A link', api_key_type_id: 'share', variants: ['hq'], ...fields }
  const { json, status } = await service.v1('POST', '/api_key', { body })
  expect(status).toBe(200)
  return { id: json.api_key_id, key: json.api_key }
}
const inCollection = () => shareKey({ collection_id: service.demo.collection_id })

/** Attributes of the meta elements of a page by their property. */
const metaOf = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<meta property="([^"]+)" content="([^"]*)">/g)].map(([, name, text]) => [name, text]),
  )

const dataOf = (html: string): Json => JSON.parse(/id="data">(.*?)<\/script>/.exec(html)?.[1] ?? '')

const allowIndex = async (isIndexable: boolean) => {
  const query =
    'mutation ($id: ID!, $input: UpdateOrganizationInput!) { updateOrganization(id: $id, input: $input) { organization { isIndexable } } }'
  const variables = { id: service.demo.organization_id, input: { isIndexable } }
  const { json } = await service.request('POST', '/graphql', { body: { query, variables } })
  expect(json.data.updateOrganization.organization).toEqual({ isIndexable })
}

describe('a page of a track', () => {
  test('has its texts as text, its player data, and counts no play', async () => {
    const { key } = await inCollection()
    const { status, headers, text } = await get(`/s/${track.id}/${key}`)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('<h1 id="title">A &lt;b&gt;&quot;song&quot;&lt;/b&gt; &amp; more</h1>')
    expect(text).toContain('The {nonce} &lt;/script&gt; band')
    expect(dataOf(text)).toMatchObject({
      track: {
        id: track.id,
        title: 'A <b>"song"</b> & more',
        subtitle: 'The {nonce} </script> band',
        levels: Object.values(track.files).find(({ variant }) => variant.variant_type.id === 'levels').data.levels,
        stream: `/v1/stream/${track.id}/${key}`,
      },
      list: [],
    })
    const { json } = await service.v1('GET', '/usage?group_by=track')
    expect(json.usage.filter((row: Json) => row.track_id === track.id)).toEqual([])
  })

  test('loads only from its own origin and the origin of the files, and is not shown in frames', async () => {
    const { key } = await inCollection()
    const { headers } = await get(`/s/${track.id}/${key}`)
    const policy = headers.get('content-security-policy') ?? ''
    const files = new URL(track.files.hq.url).origin
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain(`img-src 'self' ${files}`)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('describes itself to sites that show a preview', async () => {
    const { key } = await inCollection()
    const { text } = await get(`/s/${track.id}/${key}`)
    const base = service.demo.base_url
    expect(metaOf(text)).toMatchObject({
      'og:title': 'A &lt;b&gt;&quot;song&quot;&lt;/b&gt; &amp; more',
      'og:site_name': 'Demo',
      'og:url': `${base}/s/${track.id}/${key}`,
      'og:audio': `${base}/v1/stream/${track.id}/${key}`,
      'og:audio:type': 'audio/mp4',
      'twitter:card': 'player',
      'twitter:player': `${base}/embed/${track.id}/${key}`,
    })
    const page = encodeURIComponent(`${base}/s/${track.id}/${key}`)
    expect(text).toContain(`type="application/json+oembed" href="${base}/oembed?url=${page}&amp;format=json"`)
  })

  test('is described to search engines only where the organization allows it, and never as a frame', async () => {
    const { key } = await inCollection()
    const path = `/s/${track.id}/${key}`
    const noIndex = '<meta name="robots" content="noindex">'
    const structuredData = (text: string) =>
      JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/.exec(text)?.[1] ?? 'null')
    const before = (await get(path)).text
    expect([before.includes(noIndex), structuredData(before), before.includes('canonical')]).toEqual([
      true,
      null,
      false,
    ])
    await allowIndex(true)
    try {
      const { text } = await get(path)
      const base = service.demo.base_url
      expect(text).not.toContain(noIndex)
      expect(text).toContain(`<link rel="canonical" href="${base}${path}">`)
      expect(structuredData(text)).toMatchObject({
        '@context': 'https://schema.org',
        '@type': 'MusicRecording',
        url: base + path,
        name: 'A <b>"song"</b> & more',
        audio: { contentUrl: `${base}/v1/stream/${track.id}/${key}`, encodingFormat: 'audio/mp4' },
        publisher: { name: 'Demo' },
      })
      expect((await get(`/embed/${track.id}/${key}`)).text).toContain(noIndex)
      const album = structuredData((await get(`/s/collection/${service.demo.collection_id}/${key}`)).text)
      expect(album).toMatchObject({ '@type': 'MusicAlbum', name: 'First collection', numTracks: album.track.length })
      expect(album.track.map(({ url }: Json) => url)).toContain(base + path)
      expect(album.track[0].duration).toMatch(/^PT\d+S$/)
    } finally {
      await allowIndex(false)
    }
  })

  test.each([
    ['de-CH,de;q=0.9,en;q=0.8', 'de', 'Abspielen'],
    ['fr', 'en', 'Play'],
    ['de;q=0,en', 'en', 'Play'],
    ['en;q=0.8, de ; q=0.9', 'de', 'Abspielen'],
  ])('is in the language that the browser prefers: %s', async (accepted, language, play) => {
    const { key } = await inCollection()
    const { text } = await get(`/s/${track.id}/${key}`, { ...browser, 'accept-language': accepted })
    expect(text).toContain(`<html lang="${language}"`)
    expect(text).toContain(`aria-label="${play}"`)
  })

  test('can be shown in a frame at its embed address only', async () => {
    const { key } = await inCollection()
    const { status, headers, text } = await get(`/embed/${track.id}/${key}`)
    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toContain('frame-ancestors *')
    expect(text).toContain('class="embed single"')
  })

  test.each([
    ['theme=dark&list=off', 'embed album theme-dark no-list', null],
    ['theme=light&color=C2410C', 'embed album theme-light', '#c2410c'],
    ['theme=auto&list=1&color=%23c2410c', 'embed album', '#c2410c'],
    ['theme=%22%3E&color=c2410c%3B%7D&list=', 'embed album', null],
  ])('of a frame takes valid choices of its address: %s', async (query, classes, color) => {
    const { key } = await inCollection()
    const { text } = await get(`/embed/collection/${service.demo.collection_id}/${key}?${query}`)
    expect(text).toContain(`<html lang="en" class="${classes}">`)
    expect(text.includes(`--light-music: ${color};`)).toBe(color !== null)
    expect(dataOf(text).isColorFixed).toBe(color !== null)
    // Those of a page are not chosen by its address.
    const page = await get(`/s/collection/${service.demo.collection_id}/${key}?${query}`)
    expect(page.text).toContain('<html lang="en" class="whole album">')
  })

  test('loads the script and the style sheet that it names', async () => {
    const { key } = await inCollection()
    const { text } = await get(`/s/${track.id}/${key}`)
    const files = [...text.matchAll(/(?:href|src)="(\/s\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(files.map((path) => path.split('.').at(-1)).sort()).toEqual(['css', 'js', 'svg'])
    for (const path of files) expect((await get(path)).status).toBe(200)
  })
})

describe('a link that the stream refuses has no page', () => {
  let unknown: string
  beforeAll(async () => {
    unknown = (await get(`/s/${crypto.randomUUID()}/${service.demo.share_key}`)).text
    expect(unknown).toContain('This link does not work')
  })

  const causes: [cause: string, link: () => Promise<string>][] = [
    [
      'a revoked key',
      async () => {
        const { id, key } = await inCollection()
        await service.services.db.apiKey.update({ where: { id }, data: { revokedAt: new Date() } })
        return `${track.id}/${key}`
      },
    ],
    [
      'an expired key',
      async () => {
        const { id, key } = await inCollection()
        await service.services.db.apiKey.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1) } })
        return `${track.id}/${key}`
      },
    ],
    ['a key of another kind', async () => `${track.id}/${service.demo.api_key}`],
    ['no key', async () => `${track.id}/nothing`],
    ['no UUID', async () => `nothing/${service.demo.share_key}`],
    ['a track that is not processed', async () => `${unprocessed}/${service.demo.share_key}`],
    [
      'a key of another collection',
      async () => {
        const { json } = await service.v1('POST', '/collection', { body: { title: 'Another' } })
        const { key } = await shareKey({ collection_id: json.collection_id })
        return `${track.id}/${key}`
      },
    ],
    [
      'a key of another creator',
      async () => {
        const { json } = await service.v1('POST', '/creator', { body: { organization_index: 'another' } })
        const { key } = await shareKey({ creator_id: json.creator_id })
        return `${track.id}/${key}`
      },
    ],
    [
      'a key of another track',
      async () => {
        const { key } = await shareKey({ collection_id: service.demo.collection_id, track_id: unprocessed })
        return `${track.id}/${key}`
      },
    ],
    [
      'a key of a deleted variant',
      async () => {
        const { key } = await shareKey({ variants: ['lq'] })
        await service.services.db.variant.updateMany({ where: { index: 'lq' }, data: { deletedAt: new Date() } })
        return `${track.id}/${key}`
      },
    ],
    [
      'a deleted track',
      async () => {
        const { id } = await processed(service, await tone(1), 'deleted.wav')
        await service.v1('DELETE', `/track/${id}`)
        return `${id}/${service.demo.share_key}`
      },
    ],
  ]
  test.each(causes)('%s', async (_, link) => {
    const path = await link()
    const { status, text } = await get(`/s/${path}`)
    expect([status, text]).toEqual([404, unknown])
    const [stream, embed, data] = [`/v1/stream/${path}`, `/embed/${path}`, `/s/${path}/data`]
    for (const other of [stream, embed, data]) expect((await get(other)).status).toBe(404)
  })
})

describe('a page of a collection', () => {
  test('lists its playable tracks in their order', async () => {
    const { key } = await inCollection()
    const second = await processed(service, await tone(1), 'second.wav')
    const { status, text } = await get(`/s/collection/${service.demo.collection_id}/${key}`)
    expect(status).toBe(200)
    const { list, track: sharedTrack } = dataOf(text)
    expect([sharedTrack.id, sharedTrack.levels?.length]).toEqual([track.id, 320])
    expect(list.map(({ id }: Json) => id)).toEqual(expect.arrayContaining([track.id, second.id]))
    expect(list.map(({ id }: Json) => id)).not.toContain(unprocessed)
    for (const { data, page, title } of list) {
      expect((await get(data)).json).toMatchObject({ title, stream: expect.stringContaining('/v1/stream/') })
      expect((await get(page)).status).toBe(200)
    }
    expect(metaOf(text)).toMatchObject({ 'og:type': 'music.playlist', 'og:title': 'First collection' })
  })

  test('has a podcast feed whose enclosures are stream links', async () => {
    const { key } = await inCollection()
    const path = `/s/collection/${service.demo.collection_id}/${key}/feed.xml`
    const { status, headers, text } = await get(path)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/rss+xml; charset=utf-8'])
    const { files } = await readTrack(service, track.id)
    expect(text).toContain('<title>A &lt;b&gt;&quot;song&quot;&lt;/b&gt; &amp; more</title>')
    const address = `${service.demo.base_url}/v1/stream/${track.id}/${key}`
    expect(text).toContain(
      `<enclosure url="${address}.m4a" length="${files.hq.size}" type="${files.hq.content_type}"/>`,
    )
    expect((await get(new URL(address).pathname)).status).toBe(302)
    const page = await get(path.replace('/feed.xml', ''))
    expect(page.text).toContain(`type="application/rss+xml" href="${path}"`)
  })

  test('has a feed without the characters of titles that XML does not allow', async () => {
    const { key } = await inCollection()
    const { playerTitle } = await service.services.db.track.findUniqueOrThrow({ where: { id: track.id } })
    const titled = (title: string | null) =>
      service.services.db.track.update({ where: { id: track.id }, data: { playerTitle: title } })
    try {
      await titled('a\u0001b\u000bc\u001fd\ufffee\uffff\tf\u0085\u{1f3b5}')
      const { text } = await get(`/s/collection/${service.demo.collection_id}/${key}/feed.xml`)
      expect(text).toContain('<title>abcde\tf\u0085\u{1f3b5}</title>')
    } finally {
      await titled(playerTitle)
    }
  })

  test('does not exist for a key of a single track', async () => {
    const { key } = await shareKey({ collection_id: service.demo.collection_id, track_id: track.id })
    expect((await get(`/s/${track.id}/${key}`)).status).toBe(200)
    const path = `/s/collection/${service.demo.collection_id}/${key}`
    expect([(await get(path)).status, (await get(`${path}/feed.xml`)).status]).toEqual([404, 404])
  })

  test('does not exist without a playable track', async () => {
    const { json } = await service.v1('POST', '/collection', { body: { title: 'Empty' } })
    const { key } = await shareKey({ collection_id: json.collection_id })
    expect((await get(`/s/collection/${json.collection_id}/${key}`)).status).toBe(404)
  })
})

describe('oEmbed', () => {
  const ask = (url: string, more = '') => get(`/oembed?url=${encodeURIComponent(url)}${more}`, {})

  test('answers with a frame of the embed address', async () => {
    const { key } = await inCollection()
    const base = service.demo.base_url
    const { status, json } = await ask(`${base}/s/${track.id}/${key}?t=3`, '&format=json&maxwidth=300')
    expect(status).toBe(200)
    expect(json).toMatchObject({
      version: '1.0',
      type: 'rich',
      title: 'A <b>"song"</b> & more',
      width: 300,
      height: 152,
    })
    expect(json.html).toStartWith(`<iframe src="${base}/embed/${track.id}/${key}" width="300"`)
    expect(json.html).toContain('title="A &lt;b&gt;')
  })

  test.each(['0', '-5', '0.2', '1e9', 'wide', ''])('has its own size for a maximum of %j pixels', async (maximum) => {
    const { key } = await inCollection()
    const { json } = await ask(
      `${service.demo.base_url}/s/${track.id}/${key}`,
      `&maxwidth=${maximum}&maxheight=${maximum}`,
    )
    expect([json.width, json.height]).toEqual([480, 152])
  })

  test('refuses other addresses with 404 and other formats with 501', async () => {
    const { key } = await inCollection()
    const base = service.demo.base_url
    for (const url of [
      '',
      'nothing',
      `${base}/docs`,
      `https://other.example/s/${track.id}/${key}`,
      `${base}/s/${track.id}/no`,
    ])
      expect(await ask(url)).toMatchObject({ status: 404, json: { code: 'not_found' } })
    const yaml = await ask(`${base}/s/${track.id}/${key}`, '&format=yaml')
    expect(yaml).toMatchObject({ status: 501, text: 'format: must be json or xml, got yaml' })
  })

  test('answers in XML with the same values', async () => {
    const { key } = await inCollection()
    const page = `${service.demo.base_url}/s/${track.id}/${key}`
    const [{ json }, xml] = [await ask(page), await ask(page, '&format=xml')]
    expect([xml.status, xml.headers.get('content-type')]).toEqual([200, 'text/xml; charset=utf-8'])
    const values = [...xml.text.matchAll(/^ {2}<(\w+)>(.*)<\/\1>$/gm)].map(([, name = '', text = '']) => [
      name,
      text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
    ])
    const expected = Object.entries(json).map(([name, value]) => [name, String(value)])
    expect(expected.length).toBeGreaterThan(8)
    expect(values).toEqual(expected)
  })
})

test('refuses other methods than GET and HEAD', async () => {
  const { status, json } = await service.request('POST', `/s/${track.id}/${service.demo.share_key}`, { key: null })
  expect([status, json.code]).toEqual([405, 'method_not_allowed'])
})

describe('chapters', () => {
  const chapters = [
    { title: 'Intro & <hello>', startSeconds: 0 },
    {
      title: 'Talk',
      startSeconds: 0.4,
      endSeconds: 0.9,
      url: 'https://example.com/',
      imageUrl: 'https://example.com/i.png',
    },
  ]
  const update = (input: object) =>
    service.graphql(
      'mutation ($id: ID!, $input: UpdateTrackInput!) { updateTrack(id: $id, input: $input) { track { chapters { title startSeconds endSeconds url imageUrl } } } }',
      { id: track.id, input },
    )
  const expectedChapters = [
    { title: 'Intro & <hello>', startSeconds: 0, endSeconds: 0.4, url: null, imageUrl: null },
    { ...chapters[1], endSeconds: 0.9 },
  ]

  test('are set, shown to listeners, and listed in the feed', async () => {
    const { key } = await inCollection()
    expect((await get(`/s/collection/${service.demo.collection_id}/${key}/feed.xml`)).text).not.toContain(
      'podcast:chapters',
    )
    expect((await update({ chapters })).data.updateTrack.track.chapters).toEqual(expectedChapters)
    expect(dataOf((await get(`/s/${track.id}/${key}`)).text).track.chapters).toEqual([
      { title: 'Intro & <hello>', startSeconds: 0, url: null },
      { title: 'Talk', startSeconds: 0.4, url: 'https://example.com/' },
    ])
    const address = `/s/${track.id}/${key}/chapters.json`
    const feed = (await get(`/s/collection/${service.demo.collection_id}/${key}/feed.xml`)).text
    expect(feed).toContain(
      `<podcast:chapters url="${service.demo.base_url}${address}" type="application/json+chapters"/>`,
    )
    const file = await get(address)
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/json+chapters'])
    expect(JSON.parse(file.text)).toEqual({
      version: '1.2.0',
      title: 'A <b>"song"</b> & more',
      chapters: [
        { startTime: 0, endTime: 0.4, title: 'Intro & <hello>' },
        { startTime: 0.4, endTime: 0.9, title: 'Talk', url: 'https://example.com/', img: 'https://example.com/i.png' },
      ],
    })
    expect((await service.v1('GET', `/track/${track.id}`)).json.track).not.toHaveProperty('chapters')
  })

  test('of a collection have no file', async () => {
    const { key } = await inCollection()
    expect((await get(`/s/collection/${service.demo.collection_id}/${key}/chapters.json`)).status).toBe(404)
  })

  test.each([
    {
      name: 'out of order',
      badChapters: [
        { title: 'a', startSeconds: 0.5 },
        { title: 'b', startSeconds: 0.5 },
      ],
      field: '1.startSeconds',
    },
    {
      name: 'an end before its start',
      badChapters: [{ title: 'a', startSeconds: 0.5, endSeconds: 0.4 }],
      field: '0.endSeconds',
    },
    {
      name: 'an end after the next start',
      badChapters: [
        { title: 'a', startSeconds: 0, endSeconds: 0.6 },
        { title: 'b', startSeconds: 0.5 },
      ],
      field: '0.endSeconds',
    },
    {
      name: 'a start after the end of the track',
      badChapters: [{ title: 'a', startSeconds: 1.5 }],
      field: '0.startSeconds',
    },
    {
      name: 'an end after that of the track',
      badChapters: [{ title: 'a', startSeconds: 0, endSeconds: 1.5 }],
      field: '0.endSeconds',
    },
    { name: 'a negative start', badChapters: [{ title: 'a', startSeconds: -1 }], field: '0.startSeconds' },
    { name: 'no title', badChapters: [{ title: '', startSeconds: 0 }], field: '0.title' },
    { name: 'a long title', badChapters: [{ title: 'x'.repeat(256), startSeconds: 0 }], field: '0.title' },
    {
      name: 'an address of a program',
      badChapters: [{ title: 'a', startSeconds: 0, url: 'javascript:alert(1)' }],
      field: '0.url',
    },
    {
      name: 'too many',
      badChapters: Array.from({ length: 256 }, (_, at) => ({ title: 'x', startSeconds: at / 1000 })),
      field: '',
    },
  ])('are refused with $name, and the others stay', async ({ badChapters, field }) => {
    await update({ chapters })
    const { errors } = await update({ chapters: badChapters })
    expect(errors[0].extensions.code).toBe('invalid_input')
    expect(errors[0].message).toContain(field ? `chapters.${field}` : 'chapters')
    expect((await update({})).data.updateTrack.track.chapters).toEqual(expectedChapters)
  })

  test('an empty list shows none, null shows those of the recording', async () => {
    const sourceChapters = [{ title: 'Own', startSeconds: 0, endSeconds: null, url: null }]
    await service.services.db.track.update({ where: { id: track.id }, data: { sourceChapters } })
    expect((await update({ chapters: [] })).data.updateTrack.track.chapters).toEqual([])
    expect((await update({ chapters: null })).data.updateTrack.track.chapters).toEqual([
      { title: 'Own', startSeconds: 0, endSeconds: 1, url: null, imageUrl: null },
    ])
  })
})

describe('a link with a start', () => {
  const OPENS = new Date('2031-05-01T09:30:00.000Z')
  const CREATE = `mutation ($input: CreateShareKeyInput!) { createShareKey(input: $input) { key record { id opensAt } } }`
  const create = (input: object) => service.graphql(CREATE, { input: { title: 'Release', variant: 'hq', ...input } })
  const at = (time: number) => {
    service.clock.now = new Date(time)
  }
  afterEach(() => {
    service.clock.now = null
  })

  test('opens at its time: the page, the feed, the frame, the cover and the stream, and says before when', async () => {
    const { data } = await create({ collectionId: service.demo.collection_id, opensAt: OPENS.toISOString() })
    const { key, record } = data.createShareKey
    expect(record.opensAt).toBe(OPENS.toISOString())
    const paths = [
      `/s/${track.id}/${key}`,
      `/s/collection/${service.demo.collection_id}/${key}/feed.xml`,
      `/embed/${track.id}/${key}`,
      `/s/${track.id}/${key}/cover.jpg`,
      `/v1/stream/${track.id}/${key}`,
    ]
    const readStatuses = () => Promise.all(paths.map(async (path) => (await get(path)).status))
    at(OPENS.getTime() - 1)
    expect(await readStatuses()).toEqual(paths.map(() => 404))
    const early = await get(`/s/${track.id}/${key}`)
    expect(early.text).toContain('This link is not open yet')
    expect(early.text).toMatch(/It opens on May 1, 2031 at 9:30\sAM UTC\./)
    at(OPENS.getTime())
    expect(await readStatuses()).toEqual([200, 200, 200, 200, 302])
  })

  test('a revoked, an expired and an unknown key do not say that they would open', async () => {
    const opensAt = OPENS.toISOString()
    const soon = new Date(Date.now() + 1000).toISOString()
    const revoked = (await create({ opensAt })).data.createShareKey
    await service.graphql('mutation ($id: ID!) { revokeKey(id: $id) { key { id } } }', { id: revoked.record.id })
    const expired = (await create({ opensAt: new Date(Date.now() + 500).toISOString(), expiresAt: soon })).data
      .createShareKey
    at(Date.parse(soon))
    for (const key of [revoked.key, expired.key, `${revoked.key.slice(0, -1)}0`]) {
      const { status, text } = await get(`/s/${track.id}/${key}`)
      expect([status, text.includes('This link does not work')]).toEqual([404, true])
    }
  })

  test('it opens before it ends', async () => {
    const time = OPENS.toISOString()
    const { errors } = await create({ opensAt: time, expiresAt: time })
    expect(errors[0].message).toBe('opensAt: must be before expiresAt')
    const later = new Date(OPENS.getTime() + 1).toISOString()
    expect((await create({ opensAt: time, expiresAt: later })).errors).toBeUndefined()
  })
})

describe('a link with sites', () => {
  const CREATE = `mutation ($input: CreateShareKeyInput!) { createShareKey(input: $input) { key record { sites } } }`
  const create = (sites: string[]) => service.graphql(CREATE, { input: { title: 'Embedded', variant: 'hq', sites } })
  const framesOf = async (path: string) =>
    /frame-ancestors [^;]*/.exec((await get(path)).headers.get('content-security-policy') ?? '')?.[0]

  test('has a player for their frames only; its page is in no frame, and others have players for any site', async () => {
    const { data } = await create(['Example.com', '*.example.org:8443'])
    const { key, record } = data.createShareKey
    expect(record.sites).toEqual(['example.com', '*.example.org:8443'])
    expect(await framesOf(`/embed/${track.id}/${key}`)).toBe('frame-ancestors example.com *.example.org:8443')
    const collection = `collection/${service.demo.collection_id}`
    expect(await framesOf(`/embed/${collection}/${key}`)).toBe('frame-ancestors example.com *.example.org:8443')
    expect(await framesOf(`/s/${track.id}/${key}`)).toBe("frame-ancestors 'none'")
    const other = (await create([])).data.createShareKey.key
    expect(await framesOf(`/embed/${track.id}/${other}`)).toBe('frame-ancestors *')
  })

  test.each(['https://example.com', 'example.com/page', 'example.com; script-src *', "'self'", '*', 'a b', ''])(
    '%p is no site',
    async (site) => {
      const { errors } = await create([site])
      expect(errors[0].message).toBe('sites.0: must be a host such as example.com or *.example.com')
    },
  )

  test('there are at most 20', async () => {
    const sites = Array.from({ length: 21 }, (_, n) => `site-${n}.example.com`)
    expect((await create(sites)).errors[0].message).toMatch(/^sites: /)
    expect((await create(sites.slice(1))).errors).toBeUndefined()
  })
})

/** Changes limits of a share key. */
async function limitShare(id: string, input: object): Promise<void> {
  const query =
    'mutation ($id: ID!, $input: UpdateShareKeyInput!) { updateShareKey(id: $id, input: $input) { key { id } } }'
  expect((await service.graphql(query, { id, input })).errors).toBeUndefined()
}

describe('a link with a password', () => {
  async function enter(path: string, password: string, headers: Record<string, string> = browser, address?: string) {
    const { publicUrl } = service.services.config
    const body = new URLSearchParams({ password })
    const answer = await service.gateway(new Request(publicUrl + path, { method: 'POST', headers, body }), address)
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  test('asks for it in the language of the browser, and shows nothing of the recording', async () => {
    const { id, key } = await inCollection()
    await limitShare(id, { password: 'Open sesame' })
    const { status, text, headers } = await get(`/s/${track.id}/${key}`)
    expect([status, headers.get('cache-control')]).toEqual([403, 'no-store'])
    expect(text).toContain('<h1>This link needs a password</h1>')
    expect(headers.get('content-security-policy')).toContain("form-action 'self'")
    expect((await get(`/embed/${track.id}/${key}`, { ...browser, 'accept-language': 'de' })).text).toContain(
      '<h1>Dieser Link braucht ein Passwort</h1>',
    )
    const collection = `/s/collection/${service.demo.collection_id}/${key}`
    const files = ['data', 'cover.jpg', 'chapters.json', 'transcript.txt', 'download'].map(
      (file) => `/s/${track.id}/${key}/${file}`,
    )
    for (const path of [...files, `${collection}/feed.xml`, `${collection}/cover.jpg`]) {
      const answer = await get(path, {})
      expect([path, answer.status, answer.text]).toEqual([path, 403, expect.stringContaining('needs a password')])
    }
    const page = encodeURIComponent(`${service.services.config.publicUrl}/s/${track.id}/${key}`)
    expect((await get(`/oembed?url=${page}`, {})).status).toBe(404)
  })

  test('opens page, files and sound with it, on this browser only', async () => {
    const { id, key } = await inCollection()
    await limitShare(id, { password: ' Open sesame ' })
    const path = `/s/${track.id}/${key}`
    const wrong = await enter(`${path}?t=5`, 'Open sesame')
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([403, null])
    expect(wrong.text).toContain('This is not the password.')
    const right = await enter(`${path}?t=5`, ' Open sesame ')
    expect([right.status, right.headers.get('location')]).toEqual([303, `${path}?t=5`])
    const [pass = '', ...attributes] = (right.headers.get('set-cookie') ?? '').split('; ')
    expect(attributes).toEqual(['Path=/', 'Max-Age=2592000', 'HttpOnly', 'SameSite=Lax'])
    const cookie = { cookie: pass }
    expect((await get(path, { ...browser, ...cookie })).text).toContain('id="player"')
    expect((await get(`${path}/data`, cookie)).status).toBe(200)
    expect((await get(`${path}/cover.jpg`, cookie)).headers.get('cache-control')).toBe('private, max-age=300')
    expect((await get(`/v1/stream/${track.id}/${key}`, cookie)).status).toBe(302)
    expect((await get(`/v1/stream/${track.id}/${key}`, {})).status).toBe(403)
    // A second press of the button, or the same form in another tab.
    expect((await enter(path, 'x', { ...browser, ...cookie })).headers.get('location')).toBe(path)
  })

  test('lets a client wait after several wrong ones, and no other', async () => {
    const { id, key } = await inCollection()
    await limitShare(id, { password: 'right' })
    const path = `/s/${track.id}/${key}`
    const from = (address: string, password: string) => enter(path, password, browser, address)
    for (let attempt = 1; attempt < 5; attempt++) expect((await from('203.0.113.50', 'wrong')).status).toBe(403)
    await from('203.0.113.50', 'wrong')
    const refused = await from('203.0.113.50', 'right')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect(refused.text).toContain('Too many wrong passwords. Try again in 1 min.')
    expect((await from('203.0.113.51', 'right')).status).toBe(303)
  })

  test('takes a form at its page only', async () => {
    const { id, key } = await inCollection()
    await limitShare(id, { password: 'right' })
    expect((await enter(`/s/${track.id}/${key}/data`, 'right', {})).status).toBe(405)
  })
})

test('a proxy may store a cover only where every client may see it', async () => {
  const { id, key } = await inCollection()
  const caching = async () => (await get(`/s/${track.id}/${key}/cover.jpg`)).headers.get('cache-control')
  expect(await caching()).toBe('public, max-age=300')
  await limitShare(id, { maxPlays: 1 })
  expect(await caching()).toBe('public, max-age=300')
})

describe('a link that allows to save the file', () => {
  test('counts a play, and redirects to an address that saves it', async () => {
    const { id, key } = await inCollection()
    const path = `/s/${track.id}/${key}`
    expect(dataOf((await get(path)).text).track.download).toBeNull()
    expect((await get(`${path}/download`)).status).toBe(404)
    await limitShare(id, { isDownloadable: true, maxPlays: 1 })
    const { download } = dataOf((await get(path)).text).track
    expect(download).toBe(`${path}/download`)
    const { status, headers } = await get(download, { 'user-agent': 'Overcast/3.0' })
    expect([status, headers.get('cache-control')]).toEqual([302, 'no-store'])
    const file = await service.fetchEdge(headers.get('location') ?? '')
    expect(file.headers.get('content-disposition')).toStartWith('attachment; filename=')
    expect((await file.bytes()).length).toBeGreaterThan(1000)
    const refused = await get(download, { 'user-agent': 'Castro/2.0' })
    expect([refused.status, refused.headers.get('tonearm-refusal')]).toEqual([403, 'plays'])
  })
})
