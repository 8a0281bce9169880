import type { SharedTrack } from '../../../domain/playback/share.ts'
import type { Services } from '../../../platform/context.ts'
import { type CoverSize, coverSizeNames } from '../../../platform/media/cover/sizes.ts'
import { chooseLanguage } from '../language.ts'
import { createWebPage, dataElement } from '../web-page.ts'
import { FRAME_HEIGHT, FRAME_WIDTH, OEMBED_PATH } from './oembed.ts'
import {
  coverOf,
  coverPath,
  embedPath,
  feedPath,
  pagePath,
  type Shared,
  streamPath,
  subtitleOf,
  titleOf,
} from './subject.ts'

export const LISTEN_ASSETS_PATH = '/s/assets/'

const policy = (nonce: string) => [`style-src 'self' 'nonce-${nonce}'`]

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
    page(request: Request, shared: Shared, isEmbedded: boolean): Response {
      const { track, collection, apiKey } = shared
      const list = collection?.tracks.map((listed) => {
        const single = { kind: 'track', id: listed.id, apiKey } as const
        const { id, title, durationSeconds } = listed
        return { id, title, durationSeconds, page: pagePath(single), data: `${pagePath(single)}/data` }
      })
      const player = playerData(track, apiKey)
      const icon = addressCover(track, apiKey, 'small')
      return page(request, chooseLanguage(request, names), {
        isEmbeddable: isEmbedded,
        policy: [`img-src 'self' ${track.filesOrigin}`, `media-src 'self' ${track.filesOrigin}`],
        values: (nonce) => ({
          mode: isEmbedded ? 'embed' : 'whole',
          title: Bun.escapeHTML(titleOf(shared)),
          meta: isEmbedded ? '' : writeMeta(base, shared),
          touchIcon: icon ? `<link rel="apple-touch-icon" href="${Bun.escapeHTML(icon)}">` : '',
          cover: `<img id="cover" class="cover" alt="" ${player.cover ? `src="${Bun.escapeHTML(player.cover)}"` : 'hidden'}>`,
          heading: collection ? `<p class="quiet">${Bun.escapeHTML(collection.title)}</p>` : '',
          trackTitle: Bun.escapeHTML(track.title),
          subtitle: Bun.escapeHTML(track.subtitle),
          stream: Bun.escapeHTML(streamPath(track.id, apiKey)),
          page: Bun.escapeHTML(pagePath(shared)),
          colors: `<style nonce="${nonce}">:root { --light: ${track.colors.light}; --dark: ${track.colors.dark} }</style>`,
          data: dataElement({ track: player, list: list ?? [], album: collection?.title ?? '' }),
        }),
      })
    },
  }
}

const addressCover = ({ id, cover }: SharedTrack, apiKey: string, size: CoverSize) =>
  cover && coverPath({ kind: 'track', id, apiKey }, cover, size)

/** Every size of a track's cover, for the lock screen of a phone. */
const listArtwork = (track: SharedTrack, apiKey: string) =>
  coverSizeNames.flatMap((size) => {
    const src = addressCover(track, apiKey, size)
    const image = track.cover?.images[size]
    return src && image ? [{ src, sizes: `${image.width}x${image.height}`, type: image.type }] : []
  })

/** The data of a track for the player of the page. */
export const playerData = (track: SharedTrack, apiKey: string) => ({
  id: track.id,
  page: pagePath({ kind: 'track', id: track.id, apiKey }),
  title: track.title,
  subtitle: track.subtitle,
  durationSeconds: track.durationSeconds,
  levels: track.levels,
  cover: addressCover(track, apiKey, 'regular'),
  artwork: listArtwork(track, apiKey),
  colors: track.colors,
  transcription: track.transcription,
  transcriptionLanguage: track.transcriptionLanguage,
  chapters: track.chapters.map(({ title, startSeconds, url }) => ({ title, startSeconds, url })),
  stream: streamPath(track.id, apiKey),
})

/** Open Graph, Twitter card, oEmbed discovery, and the feed of a collection. */
function writeMeta(base: string, shared: Shared): string {
  const { track, collection, apiKey } = shared
  const [page, cover] = [base + pagePath(shared), coverOf(shared)]
  const image = cover?.images.large
  const oembed = `${base}${OEMBED_PATH}?url=${encodeURIComponent(page)}`
  const properties: [name: string, content: string | number | undefined][] = [
    ['og:type', collection ? 'music.playlist' : 'music.song'],
    ['og:title', titleOf(shared)],
    ['og:description', subtitleOf(shared)],
    ['og:site_name', track.organizationName],
    ['og:url', page],
    ['og:image', cover ? base + coverPath(shared, cover, 'large') : undefined],
    ['og:image:type', image?.type],
    ['og:image:width', image?.width],
    ['og:image:height', image?.height],
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
    `<meta name="robots" content="noindex">`,
    `<link rel="alternate" type="application/json+oembed" href="${attribute(`${oembed}&format=json`)}">`,
    `<link rel="alternate" type="text/xml+oembed" href="${attribute(`${oembed}&format=xml`)}">`,
    collection ? `<link rel="alternate" type="application/rss+xml" href="${attribute(feedPath(shared))}">` : '',
  ].join('\n')
}
