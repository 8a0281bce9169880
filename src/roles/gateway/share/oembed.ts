import type { Services } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { coverSizeNames } from '../../../platform/media/cover/sizes.ts'
import { embedPath, findPicture, findShared, type ShareSubject, titleOf } from './subject.ts'

export const OEMBED_PATH = '/oembed'

/** Sizes of frames in which the player fits (web/listen/embed.css): a strip, and a strip with a list that scrolls. */
export const FRAME_WIDTH = 480
export const FRAME_HEIGHT = { track: 152, collection: 420 }
const CACHE_SECONDS = 86_400

export type OembedAnswer = Record<string, string | number>

/** Returns a bound in pixels. Infinite for any other text. */
const readBound = (text: string | null) => (/^[1-9]\d*$/.test(text ?? '') ? Number(text) : Number.POSITIVE_INFINITY)

/**
 * Answers an oEmbed request (oembed.com, version 1.0, type `rich`). The frame and the thumbnail are within `maxwidth` and
 * `maxheight`; a picture without a size that fits is left out.
 * @param subject the share link of `url`, null for another address
 * @throws AppError `not_found` for an address that is not a working share link
 */
export async function oembed(
  services: Services,
  query: URLSearchParams,
  subject: ShareSubject | null,
): Promise<OembedAnswer> {
  const shared = subject && (await findShared(services, subject, 'embed'))
  if (!shared) throw new AppError('not_found', 'url: is not a share link of this service')
  const [maxWidth, maxHeight] = [readBound(query.get('maxwidth')), readBound(query.get('maxheight'))]
  const [width, height] = [Math.min(FRAME_WIDTH, maxWidth), Math.min(FRAME_HEIGHT[shared.kind], maxHeight)]
  const title = titleOf(shared)
  const thumbnail = coverSizeNames
    .map((size) => findPicture(shared, size))
    .findLast((picture) => picture.width <= maxWidth && picture.height <= maxHeight)
  const address = Bun.escapeHTML(services.config.publicUrl + embedPath(shared))
  return {
    version: '1.0',
    type: 'rich',
    title,
    author_name: shared.track.organizationName,
    provider_name: 'Tonearm',
    provider_url: services.config.publicUrl,
    cache_age: CACHE_SECONDS,
    ...(thumbnail && {
      thumbnail_url: services.config.publicUrl + thumbnail.path,
      thumbnail_width: thumbnail.width,
      thumbnail_height: thumbnail.height,
    }),
    width,
    height,
    html: `<iframe src="${address}" width="${width}" height="${height}" title="${Bun.escapeHTML(title)}" frameborder="0" allow="autoplay; clipboard-write"></iframe>`,
  }
}

/** The answer in the XML of oembed.com, section 2.3.4.2. */
export function writeOembedXml(answer: OembedAnswer): string {
  // XML has no control characters, not even as references.
  const toText = (value: string | number) =>
    Bun.escapeHTML(String(value).replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ''))
  const fields = Object.entries(answer).map(([name, value]) => `  <${name}>${toText(value)}</${name}>`)
  return ['<?xml version="1.0" encoding="utf-8" standalone="yes"?>', '<oembed>', ...fields, '</oembed>', ''].join('\n')
}
