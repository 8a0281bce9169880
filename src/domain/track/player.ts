import { lastPart, withoutExtension } from '../delivery/name.ts'
import { legibleColors } from '../organization/colors.ts'
import { inheritedPlayerColor } from '../organization/inherit.ts'

/** Loads the records above a track whose player values it inherits. */
export const withPlayerLevels = {
  organization: { select: { playerColor: true } },
  collection: { select: { playerColor: true, playerSubtitle: true } },
} as const

/** The values that the player values of a track derive from. */
export interface PlayerLevels {
  playerTitle: string | null
  playerSubtitle: string | null
  playerColor: string | null
  fileName: string
  fileNameOriginal: string | null
  /** The stored probe result, or null. */
  info: unknown
  organization: { playerColor: string }
  collection: { playerColor: string | null; playerSubtitle: string | null }
}

/** Returns the values that a player shows for a track. The first that exists applies (contract, sections 3 and 8). */
export function effectivePlayer(track: PlayerLevels) {
  const { organization, collection } = track
  const playerColor = inheritedPlayerColor(organization, collection, track)
  return {
    // A form that was cleared sends an empty title.
    playerTitle: filled(track.playerTitle) ?? readTag(track.info, 'title') ?? titleIn(track),
    playerSubtitle: track.playerSubtitle ?? readTag(track.info, 'artist') ?? collection.playerSubtitle ?? '',
    playerColor,
    ...legibleColors(playerColor),
  }
}

/** The name that the client gave, with all its letters; without one that is left, the safe name. */
const titleIn = ({ fileName, fileNameOriginal }: PlayerLevels) =>
  filled(withoutExtension(lastPart(fileNameOriginal ?? ''))) ?? withoutExtension(fileName)

/** A blank text counts as absent. */
const filled = (text: string | null | undefined) => text?.trim() || undefined

/** A tag of the recording that is not blank. The probe stores names in lower case. */
export const readTag = (info: unknown, name: string) =>
  filled((info as { tags?: Record<string, string> } | null)?.tags?.[name])
