import type { Segment } from '../../../platform/media/formats/cmaf.ts'
import { roundTo } from '../../../platform/number.ts'
import { findSuffix } from '../../delivery/name.ts'

/** A bit rate of an adaptive stream. */
export interface AdaptiveRate {
  /** kbps, as its variant has it. It names the rate in addresses. */
  bitrate: number
  /** Bits per second. */
  averageBitrate: number
  peakBitrate: number
  /** Path of the delivery address of its file. It differs for another file, whose segments are at other places. */
  path: string
  /** Whether it is the file of the variant. */
  isMain: boolean
  /** Bytes before the index, and of the index. The segments follow it. */
  headerBytes: number
  indexBytes: number
}

/** An adaptive stream, as far as its manifest describes it. */
interface DescribedStream {
  durationSeconds: number
  /** Hz. */
  sampleRate: number
  channels: number
  rates: readonly AdaptiveRate[]
}

/** Name of the file of a rate in addresses: bit rate and the beginning of its hash. */
export const nameFile = ({ path }: Pick<AdaptiveRate, 'path'>) => findSuffix(path)

/** AAC-LC, as MIME types name it (RFC 6381). */
const CODEC = 'mp4a.40.2'
/** kbps that most connections have. Players change to another rate within seconds. */
const FIRST_BITRATE = 128

/** The rates with the one first that players begin with: the highest one up to 128 kbps, else the lowest. */
function inOrderOfUse(rates: readonly AdaptiveRate[]): AdaptiveRate[] {
  const ascending = rates.toSorted((a, b) => a.bitrate - b.bitrate)
  const first = ascending.findLast(({ bitrate }) => bitrate <= FIRST_BITRATE) ?? ascending[0]
  return first ? [first, ...ascending.filter((rate) => rate !== first)] : []
}

/** The master playlist of HTTP Live Streaming (RFC 8216, 4.3.4). Its addresses are relative. */
export const writeMasterPlaylist = (rates: readonly AdaptiveRate[]): string =>
  toLines([
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...inOrderOfUse(rates).flatMap(({ bitrate, averageBitrate, peakBitrate }) => [
      `#EXT-X-STREAM-INF:BANDWIDTH=${peakBitrate},AVERAGE-BANDWIDTH=${averageBitrate},CODECS="${CODEC}"`,
      `${bitrate}.m3u8`,
    ]),
  ])

/** The media playlist of one rate (RFC 8216, 4.3.3). Its segments are ranges of one file. */
export function writeMediaPlaylist(rate: AdaptiveRate, segments: readonly Segment[]): string {
  const file = nameFile(rate)
  const longest = Math.max(...segments.map(({ seconds }) => seconds))
  return toLines([
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${Math.max(1, Math.round(longest))}`,
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-MAP:URI="${file}",BYTERANGE="${rate.headerBytes}@0"`,
    ...segments.flatMap(({ at, bytes, seconds }) => [
      `#EXTINF:${roundTo(seconds, 5)},`,
      `#EXT-X-BYTERANGE:${bytes}@${at}`,
      file,
    ]),
    '#EXT-X-ENDLIST',
  ])
}

const toLines = (lines: readonly string[]) => `${lines.join('\n')}\n`

const CHANNELS = 'urn:mpeg:dash:23003:3:audio_channel_configuration:2011'

/** The manifest of MPEG-DASH (ISO/IEC 23009-1, on-demand profile). Players read the segments from the index of each file. */
export function writeManifest({ durationSeconds, sampleRate, channels, rates }: DescribedStream): string {
  const ascending = rates.toSorted((a, b) => a.bitrate - b.bitrate)
  return toLines([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" type="static" ' +
      `mediaPresentationDuration="PT${durationSeconds}S" minBufferTime="PT6S">`,
    '<Period>',
    `<AdaptationSet contentType="audio" mimeType="audio/mp4" codecs="${CODEC}" audioSamplingRate="${sampleRate}" ` +
      'subsegmentAlignment="true" subsegmentStartsWithSAP="1">',
    `<AudioChannelConfiguration schemeIdUri="${CHANNELS}" value="${channels}"/>`,
    ...ascending.flatMap((rate) => [
      `<Representation id="${rate.bitrate}" bandwidth="${rate.peakBitrate}">`,
      `<BaseURL>${nameFile(rate)}</BaseURL>`,
      `<SegmentBase indexRange="${rate.headerBytes}-${rate.headerBytes + rate.indexBytes - 1}">`,
      `<Initialization range="0-${rate.headerBytes - 1}"/>`,
      '</SegmentBase>',
      '</Representation>',
    ]),
    '</AdaptationSet>',
    '</Period>',
    '</MPD>',
  ])
}
