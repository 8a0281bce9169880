import { createListeningPath } from '../../../domain/playback/listening/address.ts'
import type { SharedTrack } from '../../../domain/playback/share.ts'
import type { Context, Services } from '../../../platform/context.ts'
import { chooseLanguage } from '../../../platform/http/accept.ts'
import { type CoverSize, coverSizeNames } from '../../../platform/media/cover/sizes.ts'
import { createWebPage, dataElement } from '../web-page.ts'
import { FRAME_HEIGHT, FRAME_WIDTH, OEMBED_PATH } from './oembed.ts'
import { createPalette, writePalette } from './palette.ts'
import { describeForSearch } from './structured-data.ts'
import {
  coverPath,
  downloadPath,
  embedPath,
  feedPath,
  findPicture,
  pagePath,
  type Shared,
  streamPath,
  subtitleOf,
  titleOf,
  transcriptPath,
} from './subject.ts'

export const LISTEN_ASSETS_PATH = '/s/assets/'

const policy = (nonce: string) => [`style-src 'self' 'nonce-${nonce}'`]

/** Choices in the address of a frame. An invalid value is ignored. */
interface FrameOptions {
  color: string | null
  scheme: 'light' | 'dark' | null
  /** Whether a collection shows its tracks. */
  hasList: boolean
}

function readFrameOptions(query: URLSearchParams): FrameOptions {
  const [, color] = /^#?([0-9a-f]{6})$/i.exec(query.get('color') ?? '') ?? []
  const theme = query.get('theme')
  return {
    color: color ? `#${color.toLowerCase()}` : null,
    scheme: theme === 'light' || theme === 'dark' ? theme : null,
    hasList: query.get('list') !== 'off',
  }
}

const wholePage: FrameOptions = { color: null, scheme: null, hasList: true }

/** The page of a share link (src/web/listen). */
export function createListenPage(services: Services) {
  const { page, asset, names } = createWebPage(services, {
    name: 'listen',
    assetsPath: LISTEN_ASSETS_PATH,
    isOn: true,
    policy,
  })
  const base = services.config.publicUrl
  return {
    asset,
    /** @param isEmbedded for a frame of another site */
    page(request: Request, client: PageClient, shared: Shared, isEmbedded: boolean): Response {
      const { track, collection, apiKey } = shared
      const options = isEmbedded ? readFrameOptions(new URL(request.url).searchParams) : wholePage
      const list = collection?.tracks.map((listed) => {
        const single = { kind: 'track', id: listed.id, apiKey } as const
        const { id, title, subtitle, durationSeconds } = listed
        return { id, title, subtitle, durationSeconds, page: pagePath(single), data: `${pagePath(single)}/data` }
      })
      const player = playerData(services, { track, apiKey, client }, options.color)
      const icon = addressCover(track, apiKey, 'small')
      return page(request, chooseLanguage(request, names), {
        frames: isEmbedded ? (track.sites.length > 0 ? track.sites : ['*']) : [],
        policy: [`img-src 'self' ${track.filesOrigin}`, ...writeSoundPolicy(track, base)],
        values: (nonce) => ({
          mode: listClasses(shared, isEmbedded, options).join(' '),
          title: escaped(titleOf(shared)),
          meta: isEmbedded ? NO_INDEX : writeMeta(base, shared),
          touchIcon: icon ? `<link rel="apple-touch-icon" href="${escaped(icon)}">` : '',
          cover: writeCover(player.cover),
          label: writeLabel(track),
          ...writeHeading(shared),
          notes: escaped((collection ?? track).description),
          stream: escaped(streamPath(track.id, apiKey)),
          page: escaped(pagePath(shared)),
          feed: collection ? escaped(feedPath(shared)) : '',
          colors: `<style nonce="${nonce}">:root { ${writePalette(player.palette)}; --rows: ${list?.length ?? 0} }</style>`,
          data: dataElement({
            track: player,
            list: list ?? [],
            album: collection?.title ?? '',
            frame: { path: embedPath(shared), width: FRAME_WIDTH, height: FRAME_HEIGHT[shared.kind] },
            isColorFixed: options.color !== null,
          }),
        }),
      })
    },
  }
}

const escaped = (text: string) => Bun.escapeHTML(text)

/** Classes of the page, for listen.css and embed.css. */
function listClasses({ kind }: Shared, isEmbedded: boolean, { scheme, hasList }: FrameOptions): string[] {
  const form = [isEmbedded ? 'embed' : 'whole', kind === 'collection' ? 'album' : 'single']
  return [...form, ...(scheme ? [`theme-${scheme}`] : []), ...(hasList ? [] : ['no-list'])]
}

/** Places of the sound. A player of adaptive streams loads the parts itself, and hands them to the browser. */
function writeSoundPolicy({ file, filesOrigin }: SharedTrack, base: string): string[] {
  if (!file.isAdaptive) return [`media-src 'self' ${filesOrigin}`]
  const places = `'self' ${new URL(base).origin} ${filesOrigin}`
  return [`media-src ${places} blob:`, `connect-src ${places}`]
}

/** The heading, and of a collection the line of the track that plays. */
function writeHeading({ track, collection }: Shared) {
  const [title, subtitle] = [escaped(track.title), escaped(track.subtitle)]
  if (!collection) {
    return { heading: `<h1 id="title">${title}</h1>\n<p id="subtitle" class="by">${subtitle}</p>`, current: '' }
  }
  return {
    heading: `<h1>${escaped(collection.title)}</h1>\n<p class="by">${escaped(collection.subtitle)}</p>`,
    current: `<p class="current"><strong id="title">${title}</strong> <span id="subtitle">${subtitle}</span></p>`,
  }
}

/** The cover, or the place of one that the page draws. */
const writeCover = (address: string | null) => `
<img id="cover" class="cover" alt="" width="500" height="500" ${address ? `src="${escaped(address)}"` : 'hidden'}>
<svg id="drawn-cover" class="cover" viewBox="0 0 500 500" aria-hidden="true"${address ? ' hidden' : ''}></svg>`

/** The organization, with its cover as a logo. */
const writeLabel = ({ organizationName, organizationLogo }: SharedTrack) =>
  `${organizationLogo ? `<img src="${escaped(organizationLogo)}" alt="" width="28" height="28">` : ''}<span>${escaped(organizationName)}</span>`

const addressCover = ({ id, cover }: SharedTrack, apiKey: string, size: CoverSize) =>
  cover && coverPath({ kind: 'track', id, apiKey }, cover, size)

/** Every size of a track's picture, for the lock screen of a phone. */
const listArtwork = (track: SharedTrack, apiKey: string) =>
  coverSizeNames.map((size) => {
    const single = { kind: 'track', id: track.id, apiKey, track, collection: null } as const
    const { path, width, height, type } = findPicture(single, size)
    return { src: path, sizes: `${width}x${height}`, type }
  })

/** The client that opens a page. */
export type PageClient = Pick<Context, 'address' | 'userAgent'>

interface ShownTrack {
  track: SharedTrack
  apiKey: string
  client: PageClient
}

/** The data of a track for the player of the page. @param color of a frame. Null for those of the track */
export const playerData = (services: Services, { track, apiKey, client }: ShownTrack, color: string | null = null) => ({
  id: track.id,
  page: pagePath({ kind: 'track', id: track.id, apiKey }),
  title: track.title,
  subtitle: track.subtitle,
  durationSeconds: track.durationSeconds,
  levels: track.levels,
  cover: addressCover(track, apiKey, 'regular'),
  artwork: listArtwork(track, apiKey),
  palette: createPalette(color ? [] : track.colors.theme, color ?? track.colors.chosen, track.colors.fallback),
  year: track.year,
  transcription: track.transcription,
  transcriptionLanguage: track.transcriptionLanguage,
  transcriptForm: track.transcriptForm,
  translations: track.translations.map(({ language, form }) => ({
    language,
    form,
    path: transcriptPath({ kind: 'track', id: track.id, apiKey }, form, language),
  })),
  chapters: track.chapters.map(({ title, startSeconds, url }) => ({ title, startSeconds, url })),
  stream: streamPath(track.id, apiKey),
  playlist: track.file.isAdaptive ? `${streamPath(track.id, apiKey)}.m3u8` : null,
  download: track.downloadUrl && downloadPath({ kind: 'track', id: track.id, apiKey }),
  listening: track.file.isPart ? null : createListeningPath(services, track, `${client.address}\n${client.userAgent}`),
})

const NO_INDEX = '<meta name="robots" content="noindex">'

/** The address under which search engines list the page, and what it is. */
const writeStructuredData = (base: string, shared: Shared) =>
  `<link rel="canonical" href="${escaped(base + pagePath(shared))}">\n${dataElement(describeForSearch(base, shared), 'application/ld+json')}`

/** Open Graph, Twitter card, oEmbed discovery, the feed of a collection, and the description for search engines. */
function writeMeta(base: string, shared: Shared): string {
  const { track, collection, apiKey } = shared
  const page = base + pagePath(shared)
  const image = findPicture(shared, 'large')
  const oembed = `${base}${OEMBED_PATH}?url=${encodeURIComponent(page)}`
  const properties: [name: string, content: string | number | undefined][] = [
    ['og:type', collection ? 'music.playlist' : 'music.song'],
    ['og:title', titleOf(shared)],
    ['og:description', subtitleOf(shared)],
    ['og:site_name', track.organizationName],
    ['og:url', page],
    ['og:image', base + image.path],
    ['og:image:type', image.type],
    ['og:image:width', image.width],
    ['og:image:height', image.height],
    ['og:audio', collection ? undefined : base + streamPath(track.id, apiKey)],
    ['og:audio:type', collection ? undefined : track.file.contentType],
    ['music:duration', collection ? undefined : Math.round(track.durationSeconds ?? 0)],
    ['twitter:card', 'player'],
    ['twitter:player', base + embedPath(shared)],
    ['twitter:player:width', FRAME_WIDTH],
    ['twitter:player:height', FRAME_HEIGHT[shared.kind]],
  ]
  const attribute = (value: string | number) => Bun.escapeHTML(String(value))
  return [
    ...properties.map(([name, content]) =>
      content === undefined ? '' : `<meta property="${name}" content="${attribute(content)}">`,
    ),
    track.isIndexable ? writeStructuredData(base, shared) : NO_INDEX,
    `<link rel="alternate" type="application/json+oembed" href="${attribute(`${oembed}&format=json`)}">`,
    `<link rel="alternate" type="text/xml+oembed" href="${attribute(`${oembed}&format=xml`)}">`,
    collection ? `<link rel="alternate" type="application/rss+xml" href="${attribute(feedPath(shared))}">` : '',
  ].join('\n')
}
