import { z } from 'zod'
import { PodcastType } from '../../../platform/db/generated/client/enums.ts'
import { choice, flag, languageTag, patternText, text } from '../../../platform/schema/fields.ts'
import { podcastCategories } from './categories.ts'

const inputs = ['create', 'update'] as const

/** Longest description that Apple Podcasts and Spotify show. */
export const MAX_DESCRIPTION = 4000

/** Fields of a collection for its podcast feed, which only GraphQL shows. */
export const podcastFields = {
  description: text({
    description: 'Description in podcast feeds.',
    max: MAX_DESCRIPTION,
    example: 'Songs about walking home.',
    nullable: true,
    nullMeans: 'Null shows `playerSubtitle`, else the title.',
    inputs,
  }),
  language: languageTag({
    description: 'Language of its texts and its speech. Directories require it.',
    nullable: true,
    inputs,
  }),
  podcastCategory: patternText({
    description:
      'Category of Apple Podcasts, `Music`, or with its subcategory, `Arts > Books`. Directories require it.',
    rule: z.string().refine((name) => podcastCategories.includes(name), 'must be a category of Apple Podcasts'),
    example: 'Music',
    nullable: true,
    inputs,
  }),
  podcastType: choice('PodcastType', PodcastType, {
    description: 'Order in which apps play the episodes. Defaults to `SERIAL`, the order of the collection.',
    inputs,
  }),
  isExplicit: flag({ description: 'Whether it contains explicit language or content. Defaults to false.', inputs }),
  author: text({
    description: 'Name of the author in podcast feeds.',
    max: 255,
    example: 'A band',
    nullable: true,
    nullMeans: "Null shows the organization's name.",
    inputs,
  }),
  ownerName: text({
    description: 'Name of the person whom directories write to about the podcast feed.',
    max: 255,
    example: 'Ada',
    nullable: true,
    nullMeans: 'Null shows the author.',
    inputs,
  }),
  ownerEmail: patternText({
    description:
      'Email address that directories verify the owner of the podcast feed with. Everyone who has the feed can read it.',
    rule: z.email({ error: 'must be an email address' }).max(320),
    example: 'podcast@example.com',
    nullable: true,
    inputs,
  }),
}
