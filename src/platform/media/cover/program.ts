/**
 * Separate program, run in a sandbox: decodes an untrusted picture and writes the sizes of a cover, or one JPEG.
 * Arguments: the picture, the folder for the results, and `single` for one JPEG, or `artwork` for that of directories as well.
 * Its last line on standard output is a `Report`.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sharp } from 'sharp'
import type { Report } from './report.ts'
import {
  ARTWORK_FILE,
  coverSizeNames,
  coverSizes,
  findArtworkEdge,
  fitInto,
  MAX_PIXELS,
  SINGLE_EDGE,
  SINGLE_FILE,
  toCoverFileName,
} from './sizes.ts'
import { findTheme } from './theme.ts'

/** Loaded lazily, so that a missing library is reported as the host's fault, not the picture's. */
const load = async () => (await import('sharp')).default

/** Loaders that read a single picture. Other formats are rejected. */
const loaders = ['Jpeg', 'Png', 'Webp', 'Nsgif']

async function make(input: string, folder: string, form?: string): Promise<Report> {
  const sharp = await load().catch((error) => ({ error: String(error) }))
  if ('error' in sharp) return { fault: 'unavailable', detail: sharp.error }
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: loaders.map((name) => `VipsForeignLoad${name}File`) })

  const open = () => sharp(input, { limitInputPixels: MAX_PIXELS, sequentialRead: true, failOn: 'error' })
  const picture = open()
  try {
    if (form === 'single') return await writeSingle(picture, folder)
    const { autoOrient } = await picture.metadata()
    const { width, height } = fitInto(coverSizes.large, autoOrient)
    const { data, info } = await picture
      .autoOrient()
      .toColourspace('srgb')
      .resize(width, height, { fit: 'fill' })
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    const { channels } = info
    if (channels !== 3 && channels !== 4) throw new Error(`${channels} channels`)
    const raw = { width, height, channels }
    const sizes: Extract<Report, { sizes: unknown }>['sizes'] = []
    for (const size of coverSizeNames) {
      const fitted = fitInto(coverSizes[size], autoOrient)
      const resized = sharp(data, { raw }).resize(fitted.width, fitted.height, { fit: 'fill' })
      try {
        await writeBoth(resized, (format) => join(folder, toCoverFileName(size, format)))
      } catch (error) {
        // The pixels are decoded, so the picture is not at fault.
        return { fault: 'unwritable', detail: String(error) }
      }
      sizes.push({ size, ...fitted })
    }
    const edge = form === 'artwork' ? findArtworkEdge(autoOrient) : null
    // The picture is decoded again: the pixels above are those of the largest size. A cover is worth more than its artwork.
    const artwork = edge === null ? null : await makeArtwork(open(), edge).catch(() => null)
    try {
      if (artwork) await writeFile(join(folder, ARTWORK_FILE), artwork)
    } catch (error) {
      return { fault: 'unwritable', detail: String(error) }
    }
    return { sizes, artworkEdge: artwork && edge, theme: findTheme({ data, channels }) }
  } catch (error) {
    const detail = String(error)
    return { fault: /pixel limit|too large|dimension/i.test(detail) ? 'too_large' : 'unreadable', detail }
  }
}

/** Writes a picture as JPEG and WebP. sharp drops metadata by default. */
async function writeBoth(picture: Sharp, fileOf: (format: 'jpg' | 'webp') => string): Promise<void> {
  const white = { background: '#ffffff' }
  await picture
    .clone()
    .flatten(white)
    .jpeg({ quality: 84, chromaSubsampling: '4:4:4', progressive: true })
    .toFile(fileOf('jpg'))
  await picture.clone().webp({ quality: 82, effort: 2 }).toFile(fileOf('webp'))
}

/** Returns the square in the middle of a picture as JPEG: upright, in sRGB, on white. */
const makeArtwork = (picture: Sharp, edge: number): Promise<Buffer> =>
  picture
    .autoOrient()
    .toColourspace('srgb')
    .resize(edge, edge, { fit: 'cover' })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 84, chromaSubsampling: '4:4:4', progressive: true })
    .toBuffer()

/** Writes one JPEG: upright, in sRGB, on white, within the largest size of a picture in an audio file. */
async function writeSingle(picture: Sharp, folder: string): Promise<Report> {
  await picture
    .autoOrient()
    .toColourspace('srgb')
    .resize(SINGLE_EDGE, SINGLE_EDGE, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 90, chromaSubsampling: '4:4:4' })
    .toFile(join(folder, SINGLE_FILE))
  return { single: true }
}

const [input = '', folder = '', form] = process.argv.slice(2)
console.log(JSON.stringify(await make(input, folder, form)))
