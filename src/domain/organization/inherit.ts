/** The value of an organization or a collection, and whether lower tiers may override it. */
export interface Tier<T> {
  value: T | null
  isOverridable: boolean
}

/** The tiers that may have a value, from the top down. */
export interface Tiers<T> {
  organization: Tier<T>
  collection?: Tier<T>
  /** The value of the track itself. */
  trackValue?: T | null
}

/**
 * Returns the value that applies to the lowest tier: the first from the top that must not be overridden, else the
 * lowest one that exists. A tier without a value does not restrict those below it.
 */
export function inherited<T>({ organization, collection, trackValue = null }: Tiers<T>): T | null {
  for (const tier of [organization, collection]) {
    if (tier && !tier.isOverridable && tier.value !== null) return tier.value
  }
  return trackValue ?? collection?.value ?? organization.value
}

export interface CoverTier {
  cover: unknown
  isCoverOverridable: boolean
}

/** Stored covers. `trackCover` is the data of the track's cover file. */
export interface CoverTiers {
  organization: CoverTier
  collection?: CoverTier
  trackCover?: unknown
}

/** Returns the stored cover that applies; null without one. */
export function inheritedCover({ organization, collection, trackCover }: CoverTiers): unknown {
  const tier = ({ cover, isCoverOverridable }: CoverTier) => ({ value: cover, isOverridable: isCoverOverridable })
  return inherited({
    organization: tier(organization),
    collection: collection && tier(collection),
    trackValue: trackCover,
  })
}

export interface ThemeTier {
  theme: unknown
  isThemeOverridable: boolean
}

/** Stored themes. An empty theme counts as absent. */
export interface ThemeTiers {
  organization: ThemeTier
  collection?: ThemeTier
  trackTheme?: unknown
}

/** Returns the theme that applies; empty without one. */
export function inheritedTheme({ organization, collection, trackTheme }: ThemeTiers): unknown[] {
  const orNull = (theme: unknown) => (Array.isArray(theme) && theme.length > 0 ? theme : null)
  const tier = ({ theme, isThemeOverridable }: ThemeTier) => ({
    value: orNull(theme),
    isOverridable: isThemeOverridable,
  })
  const tiers = {
    organization: tier(organization),
    collection: collection && tier(collection),
    trackValue: orNull(trackTheme),
  }
  return inherited<unknown[]>(tiers) ?? []
}

interface Colored {
  playerColor: string | null
}

/** Returns the player color that applies: the lowest one. An organization always has one (contract, section 8). */
export const inheritedPlayerColor = (
  organization: { playerColor: string },
  collection?: Colored,
  trackColors?: Colored,
): string => trackColors?.playerColor ?? collection?.playerColor ?? organization.playerColor
