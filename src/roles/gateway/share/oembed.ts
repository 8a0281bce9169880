import type { Services } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { coverOf, embedPath, findShared, type ShareSubject, titleOf } from './subject.ts'

export const OEMBED_PATH = '/oembed'

const WIDTH = 480
const HEIGHT = { track: 240, collection: 420 }

/** Returns a bound in pixels. Null for any other text. */
const lengthIn = (text: string | null) => (/^[1-9]\d*$/.test(text ?? '') ? Number(text) : null)

/**
 * Answers an oEmbed request (oembed.com, version 1.0, type `rich`).
 * @param subject the share link of `url`, null for another address
 * @throws AppError `not_found` for an address that is not a working share link; `invalid_input` for another format
 */
export async function oembed(
  services: Services,
  query: URLSearchParams,
  subject: ShareSubject | null,
): Promise<object> {
  const format = query.get('format') ?? 'json'
  if (format !== 'json') throw new AppError('invalid_input', `format: must be json, got ${format}`)
  const shared = subject && (await findShared(services, subject, 'embed'))
  if (!shared) throw new AppError('not_found', 'url: is not a share link of this service')
  const limit = (name: string) => lengthIn(query.get(name)) ?? Number.POSITIVE_INFINITY
  const [width, height] = [Math.min(WIDTH, limit('maxwidth')), Math.min(HEIGHT[shared.kind], limit('maxheight'))]
  const [title, cover] = [titleOf(shared), coverOf(shared)]
  const address = Bun.escapeHTML(services.config.publicUrl + embedPath(shared))
  return {
    version: '1.0',
    type: 'rich',
    title,
    author_name: shared.track.organizationName,
    provider_name: 'Tonearm',
    provider_url: services.config.publicUrl,
    ...(cover && { thumbnail_url: cover.url, thumbnail_width: cover.width, thumbnail_height: cover.height }),
    width,
    height,
    html: `<iframe src="${address}" width="${width}" height="${height}" title="${Bun.escapeHTML(title)}" frameborder="0" allow="autoplay; clipboard-write"></iframe>`,
  }
}
