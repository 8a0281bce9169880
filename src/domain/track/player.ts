import { legibleColors } from '../organization/colors.ts'
import { inheritedPlayerColor } from '../organization/inherit.ts'
import { type CatalogRow, readArtist, readTitle } from './catalog/effective.ts'

/** Loads the records above a track whose player values it inherits. */
export const withPlayerLevels = {
  organization: { select: { playerColor: true } },
  collection: { select: { playerColor: true, playerSubtitle: true } },
} as const

/** The values that the player values of a track derive from. */
export interface PlayerLevels
  extends Pick<CatalogRow, 'playerTitle' | 'playerSubtitle' | 'fileName' | 'fileNameOriginal' | 'info'> {
  playerColor: string | null
  organization: { playerColor: string }
  collection: { playerColor: string | null; playerSubtitle: string | null }
}

/** Returns the values that a player shows for a track. The first that exists applies (contract, sections 3 and 8). */
export function effectivePlayer(track: PlayerLevels) {
  const { organization, collection } = track
  const playerColor = inheritedPlayerColor(organization, collection, track)
  return {
    playerTitle: readTitle(track),
    playerSubtitle: readArtist(track) ?? collection.playerSubtitle ?? '',
    playerColor,
    ...legibleColors(playerColor),
  }
}
