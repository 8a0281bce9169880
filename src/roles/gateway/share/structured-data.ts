import type { SharedTrack } from '../../../domain/playback/share.ts'
import { findPicture, pagePath, type Shared, streamPath, subtitleOf, titleOf } from './subject.ts'

/**
 * Describes a track or a collection for search engines, as JSON-LD with the terms of schema.org: MusicRecording, or MusicAlbum with
 * its recordings. Values that are not known are left out.
 * @param base public address of the service
 */
export function describeForSearch(base: string, shared: Shared): object {
  const { track, collection, apiKey } = shared
  const common = {
    '@context': 'https://schema.org',
    ...describe(base + pagePath(shared), titleOf(shared), subtitleOf(shared)),
    image: base + findPicture(shared, 'large').path,
    description: (collection ?? track).description || undefined,
    publisher: { '@type': 'Organization', name: track.organizationName },
  }
  if (!collection) return { ...common, ...describeRecording(base, track, apiKey) }
  return {
    ...common,
    '@type': 'MusicAlbum',
    numTracks: collection.tracks.length,
    track: collection.tracks.map((listed) => ({
      ...describe(base + pagePath({ kind: 'track', id: listed.id, apiKey }), listed.title, listed.subtitle),
      ...describeRecording(base, listed, apiKey),
    })),
  }
}

const describe = (url: string, name: string, artist: string) => ({
  url,
  name,
  byArtist: artist ? { '@type': 'MusicGroup', name: artist } : undefined,
})

const describeRecording = (base: string, { id, durationSeconds, year, file }: SharedTrack, apiKey: string) => ({
  '@type': 'MusicRecording',
  duration: durationSeconds === null ? undefined : toIsoDuration(durationSeconds),
  datePublished: year === null ? undefined : String(year),
  audio: { '@type': 'AudioObject', contentUrl: base + streamPath(id, apiKey), encodingFormat: file.contentType },
})

/** A duration in the form of ISO 8601, in whole seconds. */
const toIsoDuration = (seconds: number) => `PT${Math.round(seconds)}S`
