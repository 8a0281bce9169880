import { z } from 'zod'
import { integer, patternText, text } from '../../../platform/schema/fields.ts'

const inputs = ['update'] as const
export const MAX_NUMBER = 100_000
const MAX_YEAR = 9999
const nullMeans = 'Null without a value and a usable tag.'

/** Two letters of the issuer, three letters or digits, seven digits. */
const ISRC_FORM = /^[A-Z]{2}[A-Z0-9]{3}\d{7}$/

/** Returns an ISRC in capitals without separators (ISO 3901). Null for any other text. */
export function normalizeIsrc(code: string): string | null {
  const letters = code
    .replace(/^\s*ISRC[\s:]*/i, '')
    .replace(/[-\s]/g, '')
    .toUpperCase()
  return ISRC_FORM.test(letters) ? letters : null
}

const isrcRule = z
  .string()
  .max(64)
  .transform((code, check) => {
    const isrc = normalizeIsrc(code)
    if (isrc !== null) return isrc
    check.addIssue({ code: 'custom', message: 'must be an ISRC such as DEX262600417' })
    return z.NEVER
  })
  .pipe(z.string())

/** Fields of a track that have columns of their own. A value that a client has set takes precedence over the tag. */
export const catalogColumns = {
  album: text({
    description: 'Album. The value that was set, else the album tag of the recording. An empty text hides the tag.',
    max: 1024,
    example: 'An album',
    nullable: true,
    nullMeans,
    inputs,
  }),
  trackNumber: integer({
    description: 'Number on its disc. The value that was set, else that of the track tag, without the total.',
    min: 1,
    max: MAX_NUMBER,
    example: 3,
    nullable: true,
    nullMeans,
    inputs,
  }),
  discNumber: integer({
    description: 'Number of its disc. The value that was set, else that of the disc tag, without the total.',
    min: 1,
    max: MAX_NUMBER,
    example: 1,
    nullable: true,
    nullMeans,
    inputs,
  }),
  isrc: patternText({
    description:
      'International Standard Recording Code, in capitals without separators. The value that was set, else a valid ISRC tag.',
    rule: isrcRule,
    example: 'DEX262600417',
    nullable: true,
    nullMeans,
    inputs,
  }),
  year: integer({
    description: 'Year of the recording. The value that was set, else that of the date tag.',
    min: 1,
    max: MAX_YEAR,
    example: 2026,
    nullable: true,
    nullMeans,
    inputs,
  }),
}

/** Fields of a track that tags of its recording fill. Only GraphQL shows them under these names. */
export const catalogFields = {
  title: text({
    description:
      'Display name in lists, players, feeds and searches: `playerTitle`, else the title tag of the recording, else the ' +
      'file name without folders and extension. Setting it sets `playerTitle`; null returns to the tag.',
    max: 1024,
    example: 'A song',
    nullable: true,
    nullMeans: 'A track always has one.',
    inputs,
  }),
  artist: text({
    description:
      'Artist: `playerSubtitle`, else the artist tag of the recording. Setting it sets `playerSubtitle`. An empty text ' +
      'hides the tag.',
    max: 1024,
    example: 'A band',
    nullable: true,
    nullMeans,
    inputs,
  }),
  ...catalogColumns,
}
