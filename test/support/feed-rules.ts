import { expect } from 'bun:test'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { podcastCategories } from '../../src/domain/collection/podcast/categories.ts'
import type { Json } from './service.ts'

const lists = ['rss.channel.item', 'rss.channel.atom:link']
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  processEntities: true,
  htmlEntities: true,
  isArray: (_, path) => lists.includes(String(path)),
})

/** The channel of a feed, with attributes as `@name`. Fails unless the feed is well-formed XML. */
export function parseFeed(xml: string): Json {
  expect(XMLValidator.validate(xml)).toBe(true)
  const { rss } = parser.parse(xml)
  return { ...rss.channel, '@rss': rss, item: rss.channel.item ?? [] }
}

interface Rule {
  /** Where the directory states it. */
  source: string
  /** The rule as a sentence about the feed. */
  name: string
  test: (channel: Json) => boolean
}

const everyItem = (test: (item: Json) => boolean) => (channel: Json) => channel.item.every(test)
const text = (value: Json): string => (typeof value === 'object' && value !== null ? value['#text'] : (value ?? ''))
const isUrl = (value: Json) => /^https?:$/.test(URL.parse(value ?? '')?.protocol ?? '')
const isUnique = (values: Json[]) => new Set(values).size === values.length
const isDate = (value: Json) =>
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/.test(value) && !Number.isNaN(Date.parse(value))
const isTruth = (value: Json) => value === 'true' || value === 'false'
const isCount = (value: Json) => value === undefined || /^[1-9]\d*$/.test(value)
const extension = (address: Json) => /\.(\w+)$/.exec(URL.parse(address ?? '')?.pathname ?? '')?.[1] ?? ''
const categoryName = ({ '@text': name, 'itunes:category': inner }: Json): string =>
  inner ? `${name} > ${inner['@text']}` : name

const requirements = 'https://podcasters.apple.com/support/823-podcast-requirements'
const appleTags = 'https://help.apple.com/itc/podcasts_connect/#/itcb54353390'
const categories = 'https://podcasters.apple.com/support/1691-apple-podcasts-categories'
/** Types of episodes by extension. Apple and Spotify take no others for sound. */
const soundTypes: Record<string, string[]> = { mp3: ['audio/mpeg'], m4a: ['audio/mp4', 'audio/x-m4a'] }

/** Apple Podcasts. */
export const appleRules: Rule[] = [
  {
    source: requirements,
    name: 'names the namespace of iTunes',
    test: (channel) => channel['@rss']['@xmlns:itunes'] === 'http://www.itunes.com/dtds/podcast-1.0.dtd',
  },
  { source: appleTags, name: 'has a title', test: ({ title }) => title?.length > 0 },
  { source: appleTags, name: 'has a description', test: ({ description }) => description?.length > 0 },
  {
    source: appleTags,
    name: 'has at most 4000 bytes of description',
    test: ({ description, item }) =>
      [description, ...item.map((entry: Json) => entry.description ?? '')].every(
        (value) => Buffer.byteLength(value) <= 4000,
      ),
  },
  {
    source: appleTags,
    name: 'has a language',
    test: ({ language }) => /^[a-z]{2,3}(-\w+)*$/.test(language ?? ''),
  },
  {
    source: categories,
    name: 'has a category',
    test: (channel) =>
      channel['itunes:category'] !== undefined && podcastCategories.includes(categoryName(channel['itunes:category'])),
  },
  { source: appleTags, name: 'says whether it is explicit', test: (channel) => isTruth(channel['itunes:explicit']) },
  {
    source: requirements,
    name: 'has an image as JPEG or PNG',
    test: (channel) => ['jpg', 'png'].includes(extension(channel['itunes:image']?.['@href'])),
  },
  {
    source: appleTags,
    name: 'has a type',
    test: (channel) => ['episodic', 'serial'].includes(channel['itunes:type']),
  },
  { source: requirements, name: 'has an episode', test: ({ item }) => item.length > 0 },
  { source: appleTags, name: 'has titles of episodes', test: everyItem(({ title }) => title?.length > 0) },
  {
    source: requirements,
    name: 'has enclosures with address, length and type',
    test: everyItem(
      ({ enclosure }) => isUrl(enclosure?.['@url']) && Number(enclosure['@length']) > 0 && enclosure['@type'],
    ),
  },
  {
    source: requirements,
    name: 'has enclosures with the extension of their type',
    test: everyItem(({ enclosure }) =>
      Boolean(soundTypes[extension(enclosure?.['@url'])]?.includes(enclosure?.['@type'])),
    ),
  },
  {
    source: requirements,
    name: 'has a GUID for each episode',
    test: ({ item }) =>
      item.every(({ guid }: Json) => text(guid)) && isUnique(item.map(({ guid }: Json) => text(guid))),
  },
  { source: requirements, name: 'has dates as RFC 2822', test: everyItem(({ pubDate }) => isDate(pubDate)) },
  {
    source: 'https://podcasters.apple.com/support/5482-using-rss-feeds',
    name: 'has a different date for each episode',
    test: ({ item }) => isUnique(item.map(({ pubDate }: Json) => pubDate)),
  },
  {
    source: appleTags,
    name: 'has durations in seconds',
    test: everyItem((item) => /^\d+$/.test(item['itunes:duration'] ?? '0')),
  },
  {
    source: appleTags,
    name: 'has types of episodes',
    test: everyItem((item) => ['full', 'trailer', 'bonus'].includes(item['itunes:episodeType'])),
  },
  {
    source: appleTags,
    name: 'has numbers from 1',
    test: everyItem((item) => isCount(item['itunes:episode']) && isCount(item['itunes:season'])),
  },
  {
    source: appleTags,
    name: 'has numbers of the full episodes of a serial podcast',
    test: (channel) =>
      channel['itunes:type'] !== 'serial' ||
      channel.item.every((item: Json) => item['itunes:episodeType'] !== 'full' || item['itunes:episode']),
  },
]

const spotify = 'https://support.spotify.com/us/creators/article/podcast-specification-doc/'
/** Spotify, beyond what Apple requires. */
export const spotifyRules: Rule[] = [
  {
    source: spotify,
    name: 'has the email address of its owner',
    test: (channel) => /^\S+@\S+$/.test(channel['itunes:owner']?.['itunes:email'] ?? ''),
  },
  { source: spotify, name: 'has an author', test: (channel) => channel['itunes:author']?.length > 0 },
  { source: spotify, name: 'has a link', test: ({ link }) => isUrl(link) },
]

const psp1 = 'https://github.com/Podcast-Standards-Project/PSP-1-Podcast-RSS-Specification'
const namespace = 'https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md'
/** The Podcast Standards Project and the Podcast Namespace. */
export const namespaceRules: Rule[] = [
  {
    source: psp1,
    name: 'names the namespaces of Atom and podcasts',
    test: ({ '@rss': rss }) =>
      rss['@xmlns:atom'] === 'http://www.w3.org/2005/Atom' &&
      rss['@xmlns:podcast'] === 'https://podcastindex.org/namespace/1.0',
  },
  {
    source: psp1,
    name: 'has a link to itself',
    test: (channel) =>
      channel['atom:link']?.some(
        (link: Json) => link['@rel'] === 'self' && link['@type'] === 'application/rss+xml' && isUrl(link['@href']),
      ) ?? false,
  },
  {
    source: `${namespace}#guid`,
    name: 'has a UUID of version 5',
    test: (channel) =>
      /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(channel['podcast:guid']),
  },
  {
    source: `${namespace}#chapters`,
    name: 'has chapters as JSON',
    test: everyItem(
      ({ 'podcast:chapters': chapters }) =>
        !chapters || (isUrl(chapters['@url']) && chapters['@type'] === 'application/json+chapters'),
    ),
  },
  {
    source: `${namespace}#transcript`,
    name: 'has transcripts with a type',
    test: everyItem(
      ({ 'podcast:transcript': transcript }) =>
        !transcript || (isUrl(transcript['@url']) && ['text/plain', 'text/vtt'].includes(transcript['@type'])),
    ),
  },
]

export const allRules = [...appleRules, ...spotifyRules, ...namespaceRules]

/** Returns the names of the rules that a feed breaks. */
export const findBrokenRules = (channel: Json): string[] =>
  allRules.filter(({ test }) => !test(channel)).map(({ name }) => name)
