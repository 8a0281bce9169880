// Addresses of covers of share links: on pages, in feeds, Open Graph and oEmbed. They do not expire while the key is valid.
import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { tone } from '../../../support/audio.ts'
import { measureImage } from '../../../support/image.ts'
import { decodePicture, stripes } from '../../../support/picture.ts'
import { processed } from '../../../support/processed.ts'
import { type Json, useTestService } from '../../../support/service.ts'

const service = useTestService()
const HOUR_MS = 3_600_000
let collectionId: string
let bareCollectionId: string
let trackId: string
let bareTrackId: string
let key: string
let keyId: string

async function uploadCover(owner: 'track' | 'collection', id: string, color: [number, number, number]) {
  const { json } = await service.v1('POST', `/${owner}/${id}/cover`)
  const { upload_url: address } = json[`${owner}_cover_upload`]
  const picture = new Blob([stripes(900, [[900, color]])])
  expect((await service.fetchEdge(address, { method: 'POST', body: picture })).status).toBe(200)
  await service.runJobs()
}

const createCollection = async (title: string): Promise<string> =>
  (await service.v1('POST', '/collection', { body: { title } })).json.collection_id

async function moveTrack(id: string, toCollection: string) {
  const query = 'mutation ($id: ID!, $input: MoveTrackInput!) { moveTrack(id: $id, input: $input) { track { id } } }'
  await service.graphql(query, { id, input: { collectionId: toCollection } })
}

async function shareKey(fields: object = {}): Promise<{ id: string; key: string }> {
  const body = { title: 'A link', api_key_type_id: 'share', variants: ['hq'], ...fields }
  const { json } = await service.v1('POST', '/api_key', { body })
  return { id: json.api_key_id, key: json.api_key }
}

beforeAll(async () => {
  bareCollectionId = service.demo.collection_id
  bareTrackId = (await processed(service, await tone(1), 'bare.wav')).id
  collectionId = await createCollection('With a cover')
  trackId = (await processed(service, await tone(1), 'song.wav')).id
  await moveTrack(trackId, collectionId)
  await uploadCover('collection', collectionId, [20, 80, 200])
  await uploadCover('track', trackId, [200, 80, 20])
  ;({ id: keyId, key } = await shareKey())
})
afterEach(() => {
  service.clock.now = null
})

const pathOf = (address: string) => address.replace(service.demo.base_url, '')
const get = (address: string, headers: Record<string, string> = {}) =>
  service.request('GET', pathOf(address), { key: null, headers })
/** Loads a picture as a client does that follows redirects. */
async function loadPicture(address: string) {
  const { status, headers } = await get(address)
  expect(status).toBe(302)
  const response = await service.fetchEdge(headers.get('location') ?? '')
  return { redirect: headers, response, ...(await measureImage(await response.clone().arrayBuffer())) }
}
/** The largest difference of two colors in a part, of 255. */
const differ = (one: readonly number[], other: readonly number[]) =>
  Math.max(...one.slice(0, 3).map((part, at) => Math.abs(part - (other[at] ?? 0))))
const metaOf = (html: string, name: string) => new RegExp(`property="${name}" content="([^"]*)"`).exec(html)?.[1] ?? ''

/** Every address of a cover that the service publishes of the subject. */
async function publishedCovers(subject: string): Promise<Record<string, string>> {
  const page = `/s/${subject}/${key}`
  const { text } = await get(page, { accept: 'text/html' })
  const { json: oembed } = await get(`/oembed?url=${encodeURIComponent(service.demo.base_url + page)}`)
  const { text: feed } = await get(`${page}/feed.xml`)
  const { track }: Json = JSON.parse(/id="data">(.*?)<\/script>/.exec(text)?.[1] ?? '')
  return {
    'og:image': metaOf(text, 'og:image'),
    image: /<img id="cover"[^>]* src="([^"]+)"/.exec(text)?.[1] ?? '',
    player: track.cover,
    oembed: oembed.thumbnail_url,
    ...(subject.startsWith('collection/') && { feed: /<itunes:image href="([^"]+)"/.exec(feed)?.[1] ?? '' }),
  }
}

describe('without a cover', () => {
  const subjects = async () => [bareTrackId, `collection/${bareCollectionId}`]

  test('a picture is drawn in the color of the music, the same wherever it is published', async () => {
    for (const subject of await subjects()) {
      const { image, player, ...published } = await publishedCovers(subject)
      // The page draws it without a request.
      expect<unknown>([image, player]).toEqual(['', null])
      expect(Object.values(published).length).toBe(subject === bareTrackId ? 2 : 3)
      for (const [place, address] of Object.entries(published)) {
        expect([place, pathOf(address)]).toEqual([
          place,
          expect.stringMatching(/^\/s\/.+\/cover(-artwork)?\.jpg\?v=[0-9a-f]{6}$/),
        ])
        const response = await service.gateway(new Request(service.demo.base_url + pathOf(address)))
        const picture = await measureImage(await response.clone().arrayBuffer())
        const edge = place === 'feed' ? 1400 : 1200
        expect([place, picture]).toEqual([place, { codec: 'mjpeg', width: edge, height: edge }])
        const { at } = await decodePicture(await response.arrayBuffer(), edge)
        const [, red = '', green = '', blue = ''] = /v=(..)(..)(..)$/.exec(address) ?? []
        const ground = [red, green, blue].map((part) => Number.parseInt(part, 16))
        expect(differ(at(10, 10), ground)).toBeLessThan(12)
        // The disc, and a ray to the top.
        for (const y of [edge / 2, 0.31 * edge]) expect(differ(at(edge / 2, y), [255, 255, 255])).toBeLessThan(60)
      }
    }
  })

  test('it is not sent again to a client that has it, and another color is another picture', async () => {
    const path = `/s/${bareTrackId}/${key}/cover-small.jpg`
    const first = await get(path)
    const etag = first.headers.get('etag') ?? ''
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'public, max-age=300'])
    expect((await get(path, { 'if-none-match': etag })).status).toBe(304)
    const body = { player_color: '#123456' }
    expect((await service.v1('PUT', `/track/${bareTrackId}`, { body })).status).toBe(200)
    const second = await get(path, { 'if-none-match': etag })
    expect([second.status, second.headers.get('etag') !== etag]).toEqual([200, true])
    await service.v1('PUT', `/track/${bareTrackId}`, { body: { player_color: null } })
  })
})

describe('an address of a cover', () => {
  test.each(['track', 'collection'])('is below /s/ wherever the cover of a %s is published', async (kind) => {
    const covers = await publishedCovers(kind === 'track' ? trackId : `collection/${collectionId}`)
    expect(Object.keys(covers).length).toBe(kind === 'track' ? 4 : 5)
    for (const [place, address] of Object.entries(covers)) {
      expect([place, pathOf(address)]).toEqual([
        place,
        expect.stringMatching(/^\/s\/.+\/cover(-regular)?\.jpg\?v=[0-9a-f]{8}$/),
      ])
      expect(address).not.toContain('verify=')
      const { response, codec } = await loadPicture(address)
      expect([place, response.status, codec]).toEqual([place, 200, 'mjpeg'])
    }
  })

  test('has each size, with validators, for HEAD too', async () => {
    const widths: Record<string, number> = { 'cover-icon.jpg': 64, 'cover-small.jpg': 200, 'cover-regular.jpg': 500 }
    for (const [file, width] of Object.entries({ ...widths, 'cover.jpg': 900 })) {
      const { response, ...picture } = await loadPicture(`/s/${trackId}/${key}/${file}`)
      expect([file, picture.width]).toEqual([file, width])
      expect(response.headers.get('content-type')).toBe('image/jpeg')
      expect(response.headers.get('etag')).toMatch(/^"[0-9a-f]{64}"$/)
      expect(response.headers.get('last-modified')).toContain('GMT')
    }
    const head = await service.request('HEAD', `/s/${trackId}/${key}/cover.jpg`, { key: null })
    const location = head.headers.get('location') ?? ''
    expect([head.status, (await service.fetchEdge(location, { method: 'HEAD' })).status]).toEqual([302, 200])
  })

  test('works hours after it was published, and is kept for less than its target is valid', async () => {
    const { oembed = '' } = await publishedCovers(trackId)
    service.clock.now = new Date(Date.now() + 5 * HOUR_MS)
    const { response, redirect } = await loadPicture(oembed)
    expect(response.status).toBe(200)
    expect(redirect.get('cache-control')).toBe('public, max-age=300')
  })

  test('differs for another picture, and the old one shows it', async () => {
    const id = await createCollection('Two covers')
    const track = await processed(service, await tone(1), 'two.wav')
    await moveTrack(track.id, id)
    const readAddress = async () => (await publishedCovers(`collection/${id}`)).feed ?? ''
    const etagOf = async (address: string) => (await loadPicture(address)).response.headers.get('etag')
    await uploadCover('collection', id, [1, 200, 1])
    const first = await readAddress()
    const firstTag = await etagOf(first)
    await uploadCover('collection', id, [200, 1, 200])
    const second = await readAddress()
    expect(second).not.toBe(first)
    expect(second.split('?')[0]).toBe(first.split('?')[0] as string)
    expect(await etagOf(first)).toBe(await etagOf(second))
    expect(await etagOf(first)).not.toBe(firstTag)
  })

  test('counts no play and marks no use of the key', async () => {
    await loadPicture(`/s/${trackId}/${key}/cover.jpg`)
    const { rows } = await service.services.pool.query('SELECT FROM play_event')
    expect(rows).toEqual([])
    expect((await service.services.db.apiKey.findUniqueOrThrow({ where: { id: keyId } })).lastUsedAt).toBeNull()
  })
})

describe('a cover is refused with the same 404', () => {
  const refuse = (change: object) => async () => {
    const share = await shareKey()
    await service.services.db.apiKey.update({ where: { id: share.id }, data: change })
    return `${trackId}/${share.key}/cover.jpg`
  }
  const causes: [cause: string, path: () => Promise<string>][] = [
    ['a revoked key', refuse({ revokedAt: new Date() })],
    ['a key that has just expired', refuse({ expiresAt: new Date(Date.now() - 1) })],
    ['an unknown key', async () => `${trackId}/nothing/cover.jpg`],
    ['a key of another kind', async () => `${trackId}/${service.demo.api_key}/cover.jpg`],
    ['an unknown size', async () => `${trackId}/${key}/cover-huge.jpg`],
    ['another format', async () => `${trackId}/${key}/cover.png`],
    [
      'the collection of a key of a single track',
      async () => {
        const single = await shareKey({ collection_id: collectionId, track_id: trackId })
        expect((await get(`/s/${trackId}/${single.key}/cover.jpg`)).status).toBe(302)
        return `collection/${collectionId}/${single.key}/cover.jpg`
      },
    ],
  ]
  test.each(causes)('%s', async (_, path) => {
    const { status, text, headers } = await get(`/s/${await path()}`, { accept: 'image/*' })
    expect([status, text, headers.get('cache-control')]).toEqual([404, 'Not found', 'no-store'])
    expect(headers.get('location')).toBeNull()
  })

  test('the address of a frame', async () => {
    expect((await get(`/embed/${trackId}/${key}/cover.jpg`)).status).toBe(404)
  })

  test('the key is accepted until the moment at which it expires', async () => {
    const expiresAt = new Date(Date.now() + HOUR_MS)
    const share = await shareKey({ expires_at: expiresAt.toISOString() })
    const statusAt = async (now: Date) => {
      service.clock.now = now
      return (await get(`/s/${trackId}/${share.key}/cover.jpg`)).status
    }
    expect(await statusAt(new Date(expiresAt.getTime() - 1))).toBe(302)
    expect(await statusAt(expiresAt)).toBe(404)
  })
})
