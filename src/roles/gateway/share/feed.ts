import type { SharedCollection } from '../../../domain/playback/share.ts'
import { chaptersPath, coverPath, pagePath, type Shared, streamPath } from './subject.ts'

/** Characters that XML 1.0 does not allow, escaped or not (section 2.2, Char). */
const UNWRITABLE = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
const escaped = (text: string) => Bun.escapeHTML(text.replaceAll(UNWRITABLE, ''))

/** A podcast feed of a collection: RSS 2.0 with the tags of iTunes and of the Podcast Namespace. Enclosures are stream links, which count plays. */
export function writeFeed(base: string, shared: Shared & { collection: SharedCollection }): string {
  const { collection, apiKey } = shared
  const element = (name: string, text: string | number) => `<${name}>${escaped(String(text))}</${name}>`
  const image = collection.cover && base + coverPath(shared, collection.cover, 'large')
  const items = collection.tracks.map((track) => {
    const single = { kind: 'track', id: track.id, apiKey } as const
    const page = base + pagePath(single)
    const chapters = Bun.escapeHTML(base + chaptersPath(single))
    const { contentType, bytes } = track.file
    const enclosure = Bun.escapeHTML(base + streamPath(track.id, apiKey))
    return [
      '<item>',
      element('title', track.title),
      element('link', page),
      `<guid isPermaLink="false">${track.id}</guid>`,
      element('pubDate', track.createdAt.toUTCString()),
      ...(track.subtitle ? [element('description', track.subtitle)] : []),
      ...(track.durationSeconds === null ? [] : [element('itunes:duration', Math.round(track.durationSeconds))]),
      ...(track.chapters.length > 0 ? [`<podcast:chapters url="${chapters}" type="application/json+chapters"/>`] : []),
      `<enclosure url="${enclosure}" length="${bytes}" type="${Bun.escapeHTML(contentType)}"/>`,
      '</item>',
    ].join('')
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel>',
    element('title', collection.title),
    element('link', base + pagePath(shared)),
    element('description', collection.subtitle || collection.title),
    element('itunes:author', collection.organizationName),
    ...(image ? [`<itunes:image href="${Bun.escapeHTML(image)}"/>`] : []),
    ...items,
    '</channel></rss>\n',
  ].join('\n')
}
