// Takes pictures of the pages, for people: `bun run test:browser ./test/browser/gallery.ts` writes test/.tmp/gallery/index.html.
// The sound and the covers are made here.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { makeMedia } from '../support/audio.ts'
import type { Json, TestService } from '../support/service.ts'
import { openSite, type Site } from './site.ts'
import { signIn } from './studio/studio.ts'
import { takePicture } from './view.ts'

setDefaultTimeout(300_000)

const folder = join(import.meta.dir, '../.tmp/gallery')
const sizes = [
  { name: 'phone', width: 390, height: 844 },
  { name: 'desktop', width: 1440, height: 900 },
] as const
const pictures: { page: string; file: string }[] = []
let site: Site
let service: TestService
let page: Page
/** Addresses by the name of their picture. */
const addresses: Record<string, string> = {}
/** The same of the studio, whose pages need a sign-in. */
const studioAddresses: Record<string, string> = {}

/** Areas of the studio that are a list or a form. */
const listAreas = [
  'tracks',
  'uploads',
  'processing',
  'deleted',
  'links',
  'organization',
  'administrators',
  'variants',
  'keys',
  'webhooks',
  'account',
]

/** Covers of four kinds: warm, dark, gray, and pale. */
const covers = {
  warm: ['#f2a541', '#c2410c', '#3b1d0f'],
  dark: ['#101827', '#1d4e89', '#f25f5c'],
  gray: ['#d8d8d8', '#8c8c8c', '#1a1a1a'],
  pale: ['#fbe9e7', '#b39ddb', '#4db6ac'],
} as const

function drawCover([ground, shape, accent]: readonly [string, string, string]): Promise<Buffer> {
  const arcs = Array.from(
    { length: 9 },
    (_, at) =>
      `<circle cx="${700 - at * 28}" cy="${900 - at * 36}" r="${620 - at * 64}" fill="${at % 2 ? ground : shape}" />`,
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1400" height="1400"><rect width="1400" height="1400" fill="${ground}"/>${arcs.join('')}<circle cx="1040" cy="330" r="130" fill="${accent}"/></svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}

/** A recording with loud and quiet parts. */
function makeSong(seconds: number, seed: number) {
  const parts = `(0.25+0.75*abs(sin(t/${1 + seed / 3})))*(0.4+0.6*abs(sin(t*${1.3 + seed / 10})))*min(1,t)*min(1,(${seconds}-t)/2)`
  const source = `aevalsrc='0.8*sin(${180 + 40 * seed}*2*PI*t)*${parts}*(0.6+0.4*random(0))':s=22050:d=${seconds}`
  return makeMedia(['-f', 'lavfi', '-i', source], 'wav')
}

async function createAlbum(title: string, subtitle: string, cover: keyof typeof covers | null): Promise<string> {
  const { json } = await service.v1('POST', '/collection', { body: { title, player_subtitle: subtitle } })
  if (cover) {
    const handle = (await service.v1('POST', `/collection/${json.collection_id}/cover`)).json.collection_cover_upload
    const body = new Blob([new Uint8Array(await drawCover(covers[cover]))])
    expect((await service.fetchEdge(handle.upload_url, { method: 'POST', body })).status).toBe(200)
  }
  return json.collection_id
}

async function addTrack(collection: string, title: string, seconds: number, seed: number, more: Json = {}) {
  const body = { collection_id: collection, file_name: `${title}.wav` }
  const { json } = await service.v1('POST', '/track', { body })
  const song = new Blob([await makeSong(seconds, seed)])
  expect((await service.fetchEdge(json.track_upload.upload_url, { method: 'PUT', body: song })).status).toBe(200)
  await service.v1('PUT', `/track/${json.track_id}`, { body: { player_title: title, ...more } })
  return json.track_id as string
}

beforeAll(async () => {
  site = await openSite((request) => {
    const frames = new URL(request.url).searchParams.getAll('frame').map((text) => {
      const [src = '', width, height] = text.split('|')
      return `<iframe src="${Bun.escapeHTML(src)}" width="${width}" height="${height}" frameborder="0"></iframe>`
    })
    const style = 'body{margin:24px;display:flex;flex-wrap:wrap;gap:24px;align-items:start;color-scheme:light dark}'
    return new Response(`<!doctype html><title>A site</title><style>${style}</style>${frames.join('')}`, {
      headers: { 'content-type': 'text/html' },
    })
  })
  ;({ service, page } = site)
  const { base_url: base, share_key: key, collection_id: bare } = service.demo
  const titles = [
    'First Light',
    'Crust',
    'Oven Door',
    'Everybody Else Is Asleep',
    'Rye',
    'The Last Tram Home (Reprise)',
  ]
  const lengths = [24, 11, 19, 14, 9, 12]
  const albums: Record<string, string> = {}
  for (const [name, title] of Object.entries({ warm: 'Night Bakery', dark: 'Harbour Lights', gray: 'Concrete' }))
    albums[name] = await createAlbum(title, 'Marta Vögel & The Ovens', name as keyof typeof covers)
  const ids: string[] = []
  for (const [at, title] of titles.entries())
    ids.push(
      await addTrack(albums.warm ?? '', title, lengths[at] ?? 100, at + 1, {
        player_subtitle: 'Marta Vögel & The Ovens',
      }),
    )
  const chapters = ['Arrivals', 'What the harbour master said', 'Rope, salt and diesel', 'Departures']
  const talk = await addTrack(albums.dark ?? '', 'Harbour Lights, a conversation in four parts', 40, 3, {
    player_subtitle: 'With Ines Okafor',
    transcription: 'Good evening.\nWe are standing at pier four.',
    transcription_language: 'en',
  })
  const change =
    'mutation ($id: ID!, $input: UpdateTrackInput!) { updateTrack(id: $id, input: $input) { track { id } } }'
  const input = {
    chapters: chapters.map((title, at) => ({ title, startSeconds: at * 9 })),
    description: 'Recorded in one evening at the old harbour.\n\nVoice: Ines Okafor. Sound: Jo Brandt.',
  }
  await service.request('POST', '/graphql', { body: { query: change, variables: { id: talk, input } } })
  const gray = await addTrack(albums.gray ?? '', 'Concrete', 12, 5)
  const drawn = await addTrack(bare, 'A recording without a cover', 14, 2, { player_subtitle: 'The Oscillators' })
  await service.runJobs()
  Object.assign(addresses, {
    start: base,
    album: `${base}/s/collection/${albums.warm}/${key}`,
    track: `${base}/s/${ids[0]}/${key}`,
    talk: `${base}/s/${talk}/${key}`,
    gray: `${base}/s/${gray}/${key}`,
    drawn: `${base}/s/${drawn}/${key}`,
    guide: `${base}/docs/guides/build-an-app`,
    reference: `${base}/docs`,
    operations: `${base}/docs/reference/tracks`,
    refusal: `${base}/s/${ids[0]}/nothing`,
    'sign-in': `${base}/studio`,
    embeds: site.url + frameQuery(albums.warm ?? '', ids[0] ?? '', drawn),
  })
  await addPlays(ids)
  await addBroken(bare)
  const [track] = ids
  Object.assign(studioAddresses, {
    overview: `${base}/studio`,
    collections: `${base}/studio/collections`,
    'studio-album': `${base}/studio/collection/${albums.warm}`,
    'studio-track': `${base}/studio/track/${talk}`,
    'studio-drawn': `${base}/studio/track/${drawn}`,
    'studio-details': `${base}/studio/track/${track}/details`,
    'studio-files': `${base}/studio/track/${track}/files`,
    'studio-activity': `${base}/studio/track/${track}/activity`,
    usage: `${base}/studio/usage`,
    ...Object.fromEntries(listAreas.map((area) => [`studio-${area}`, `${base}/studio/${area}`])),
  })
})
afterAll(async () => {
  await site?.stop()
  const figures = pictures.map(
    ({ page, file }) => `<figure><img src="${file}" loading="lazy"><figcaption>${page}</figcaption></figure>`,
  )
  const style =
    'body{font:14px system-ui;display:flex;flex-wrap:wrap;gap:16px;align-items:start}img{height:420px;border:1px solid #8888}figure{margin:0}'
  await Bun.write(
    join(folder, 'index.html'),
    `<!doctype html><title>Gallery</title><style>${style}</style>${figures.join('')}`,
  )
})

/** Adds plays of 60 days. */
async function addPlays(ids: readonly string[]) {
  const { db, pool } = service.services
  const key = await db.apiKey.findFirstOrThrow({ where: { kind: 'share' } })
  for (const [at, id] of ids.entries()) {
    await pool.query(
      `INSERT INTO play_event (id, organization_id, created_at, collection_id, track_id, key_id, variant_id)
       SELECT gen_random_uuid(), $1, date_trunc('day', now()) - day * interval '1 day', $2, $3, $4, $5
       FROM generate_series(0, 59) day, generate_series(1, (($6 - day / 12.0) * (1 + sin(day / 3.0 + $6)))::int)`,
      [service.demo.organization_id, service.demo.collection_id, id, key.id, key.variantId, 9 - at],
    )
  }
}

/** Adds a track whose upload is not a recording. */
async function addBroken(collection: string) {
  const { json } = await service.v1('POST', '/track', { body: { collection_id: collection, file_name: 'notes.wav' } })
  await service.fetchEdge(json.track_upload.upload_url, { method: 'PUT', body: 'Not a recording' })
  await service.runJobs()
}

/** Frames in the sizes that sites use. */
function frameQuery(album: string, track: string, drawn: string): string {
  const { base_url: base, share_key: key } = service.demo
  const frames = [
    [`/embed/${track}/${key}`, 480, 152],
    [`/embed/${track}/${key}?color=1d4e89&theme=dark`, 480, 152],
    [`/embed/${drawn}/${key}`, 280, 152],
    [`/embed/collection/${album}/${key}`, 480, 420],
    [`/embed/collection/${album}/${key}?theme=light`, 320, 420],
    [`/embed/collection/${album}/${key}?list=off`, 320, 440],
    [`/embed/${track}/${key}`, 320, 440],
  ]
  return `?${new URLSearchParams(frames.map(([path, ...size]) => ['frame', [`${base}${path}`, ...size].join('|')]))}`
}

async function take(name: string, of = page) {
  await of.evaluate(() => document.fonts.ready)
  const file = `${name}.png`
  await takePicture(of, { path: join(folder, file) })
  pictures.push({ page: name, file })
}

const schemes = ['light', 'dark'] as const

test.each(schemes)('pages in %s colors', async (colorScheme) => {
  await mkdir(folder, { recursive: true })
  for (const { name: size, width, height } of sizes) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme })
    for (const [name, address] of Object.entries(addresses)) {
      await page.goto(address, { waitUntil: 'networkidle' })
      if (['album', 'talk'].includes(name)) {
        // In the middle, playing.
        await page.getByRole('button', { name: 'Play', exact: true }).click()
        await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
        await page.keyboard.press('ArrowRight')
        await page.keyboard.press('ArrowRight')
        await page.mouse.move(width / 2, 500)
      }
      await take(`${name}-${size}-${colorScheme}`)
      if (name !== 'album') continue
      await page.getByRole('button', { name: 'Share', exact: true }).click()
      await page.locator('#qr path').waitFor()
      await take(`share-${size}-${colorScheme}`)
    }
  }
})

test.each(schemes)('pages of the studio in %s colors', async (colorScheme) => {
  await mkdir(folder, { recursive: true })
  const context = await page.context().browser()?.newContext({ colorScheme })
  if (!context) throw new Error('no browser')
  const studio = await context.newPage()
  await studio.goto(`${service.demo.base_url}/studio`)
  await signIn(studio, service.demo.admin)
  for (const { name: size, width, height } of sizes) {
    await studio.setViewportSize({ width, height })
    for (const [name, address] of Object.entries(studioAddresses)) {
      // Subscriptions keep a connection open, so that the network is never idle.
      await studio.goto(address)
      await studio.getByRole('heading', { level: 1 }).waitFor()
      await studio.locator('.loading').first().waitFor({ state: 'detached' })
      if (name === 'overview') await studio.locator('.overview-played .sparkline').nth(4).waitFor()
      await take(`${name}-${size}-${colorScheme}`, studio)
    }
  }
  await context.close()
})
