/** What an organization or a collection has to hand down, and whether those below may have their own instead. */
export interface Holder<T> {
  value: T | null
  isOverridable: boolean
}

/** Who may have something, from the top down. A level that is left out has nothing, and insists on nothing. */
export interface Levels<T> {
  organization: Holder<T>
  collection?: Holder<T>
  /** The track's own. */
  own?: T | null
}

/**
 * What counts for the lowest level: what one above has and insists on, the organization first; else the lowest that
 * there is. Who has nothing cannot insist on it.
 */
export function inherited<T>({ organization, collection, own = null }: Levels<T>): T | null {
  for (const holder of [organization, collection]) {
    if (holder && !holder.isOverridable && holder.value !== null) return holder.value
  }
  return own ?? collection?.value ?? organization.value
}

export interface CoverHolder {
  cover: unknown
  isCoverOverridable: boolean
}

/** Covers as they are stored, of who may have one; `own` is the data of the track's cover file. */
export interface CoverLevels {
  organization: CoverHolder
  collection?: CoverHolder
  own?: unknown
}

/** The cover that counts, as it is stored; null where there is none. */
export function inheritedCover({ organization, collection, own }: CoverLevels): unknown {
  const holder = ({ cover, isCoverOverridable }: CoverHolder) => ({ value: cover, isOverridable: isCoverOverridable })
  return inherited({ organization: holder(organization), collection: collection && holder(collection), own })
}

export interface ThemeHolder {
  theme: unknown
  isThemeOverridable: boolean
}

/** Themes of who may have one; an empty one is none. */
export interface ThemeLevels {
  organization: ThemeHolder
  collection?: ThemeHolder
  own?: unknown
}

/** The theme that counts; empty where there is none. */
export function inheritedTheme({ organization, collection, own }: ThemeLevels): unknown[] {
  const presentIn = (theme: unknown) => (Array.isArray(theme) && theme.length > 0 ? theme : null)
  const holder = (from: ThemeHolder) => ({ value: presentIn(from.theme), isOverridable: from.isThemeOverridable })
  const levels = {
    organization: holder(organization),
    collection: collection && holder(collection),
    own: presentIn(own),
  }
  return inherited<unknown[]>(levels) ?? []
}

interface Colored {
  playerColor: string | null
}

/** The player colour that counts: the lowest that there is. An organization always has one (contract, section 8). */
export const inheritedPlayerColor = (
  organization: { playerColor: string },
  collection?: Colored,
  own?: Colored,
): string => own?.playerColor ?? collection?.playerColor ?? organization.playerColor
