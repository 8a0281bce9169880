import { z } from 'zod'
import { flag, integer, list, time } from '../../../platform/schema/fields.ts'
import { requiredTextRule } from '../../../platform/schema/rules.ts'

/** A host as Content-Security-Policy has it (CSP 3, host-source), in lower case. */
const siteRule = z
  .string()
  .max(253)
  .transform((site) => site.trim().toLowerCase())
  .refine(
    (site) => /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/.test(site),
    'must be a host such as example.com or *.example.com',
  )

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** A country that ISO 3166-1 has assigned a code of two letters. */
const countryRule = z
  .string()
  .transform((code) => code.trim().toUpperCase())
  .refine(
    (code) => /^[A-Z]{2}$/.test(code) && code !== 'ZZ' && regions.of(code) !== undefined,
    'must be a code of two letters of ISO 3166-1, such as DE',
  )

/** Maximum number of sites of a key. */
export const MAX_SITES = 20
/** Maximum number of countries of a key: all of them. */
export const MAX_COUNTRIES = 250
/** Listeners are counted for each play, so their number is small. */
const MAX_LISTENERS = 1000
const MAX_PLAYS = 1_000_000_000

const sitesRule = z.array(siteRule).max(MAX_SITES)
const countriesRule = z
  .array(countryRule)
  .max(MAX_COUNTRIES)
  .transform((codes) => [...new Set(codes)].sort())

const inputs = ['create', 'update'] as const
const unlimited = { nullable: true, nullMeans: 'Null for any number, and for other kinds.', inputs } as const

/** Limits of a share key, beyond the records that it opens. */
export const shareLimitFields = {
  opensAt: time({
    description: 'Time from which a share key opens, such as that of a release.',
    nullable: true,
    nullMeans: 'Null when it opens at once, and for other kinds.',
    inputs,
  }),
  maxPlays: integer({
    description:
      'Maximum number of plays of a share key. A listener who plays a track again within 24 hours is counted once. A `HEAD` or a ' +
      'prefetch counts as a play: its answer has the address of the file.',
    min: 1,
    max: MAX_PLAYS,
    ...unlimited,
  }),
  maxDailyListeners: integer({
    description: 'Maximum number of listeners of a share key within 24 hours, by network address and user agent.',
    min: 1,
    max: MAX_LISTENERS,
    ...unlimited,
  }),
  maxConcurrentListeners: integer({
    description:
      'Maximum number of listeners of a share key at once. A play lasts as long as its track, or until its listener plays another.',
    min: 1,
    max: MAX_LISTENERS,
    ...unlimited,
  }),
  isDownloadable: flag({
    description:
      'Whether the play sessions of a player key may be downloadable, if requested, and whether the page of a share key offers ' +
      'its sound as a file. Always false for other kinds.',
    inputs,
  }),
  sites: list('String', sitesRule, {
    description:
      'Hosts of the sites that may show the player of a share key in a frame, and play its stream links, such as ' +
      '`example.com` or `*.example.com`. Requests without `Referer` and `Origin` are accepted. Empty when any site may.',
    inputs,
  }),
  countries: list('String', countriesRule, {
    description:
      'Countries in which a share key plays, as codes of ISO 3166-1 alpha-2. The CDN in front of the service says where a client ' +
      'is (`COUNTRY_HEADER`); a client whose country is unknown is refused. Empty when it plays in any.',
    inputs,
  }),
}

/** The password that a listener enters before a link plays. It is stored as a hash. */
export const passwordRule = requiredTextRule(200)
