import type { Services } from '../../../platform/context.ts'

/** Lifetime of an address: a listening has ended then. */
const ADDRESS_SECONDS = 86_400

/** A permission to report what is heard of a track. */
export interface ListeningGrant {
  trackId: string
  /** Of the whole recording. */
  durationSeconds: number
}

interface ReportedTrack {
  id: string
  durationSeconds: number | null
}

/**
 * Returns the path at which a player reports what is heard of a track, for the part of the players that `LISTENING_SAMPLE`
 * chooses. Null for the others, and for a track of unknown length. A player is asked about a track always or never: one
 * that continues on another day would else report the second half alone.
 * @param player names the player: its listener, or its play session
 */
export function createListeningPath(
  { signing, config, clock }: Pick<Services, 'signing' | 'config' | 'clock'>,
  { id, durationSeconds }: ReportedTrack,
  player: string,
): string | null {
  const milliseconds = Math.round((durationSeconds ?? 0) * 1000)
  if (signing.computeChance(player, id) >= config.listeningSample || milliseconds === 0) return null
  const grant = `${Math.floor(clock().getTime() / 1000) + ADDRESS_SECONDS}.${milliseconds}`
  return `/v1/listening/${id}/${grant}.${signing.listeningTag(grant, id)}`
}

/** As `createListeningPath`, for players of other sites. */
export function createListeningUrl(services: Services, track: ReportedTrack, player: string): string | null {
  const path = createListeningPath(services, track, player)
  return path && services.config.publicUrl + path
}

const GRANT = /^((\d{1,12})\.(\d{1,12}))\.([\w-]{43})$/

/** Reads a grant from an address. Null for one that was not issued here for the track, and after its end. */
export function readListeningGrant(
  { signing, clock }: Pick<Services, 'signing' | 'clock'>,
  trackId: string,
  text: string,
): ListeningGrant | null {
  const [, signed = '', expires = '', milliseconds = '', tag = ''] = GRANT.exec(text) ?? []
  if (!signing.isListeningTag(signed, trackId, tag)) return null
  if (Number(expires) * 1000 <= clock().getTime()) return null
  return { trackId, durationSeconds: Number(milliseconds) / 1000 }
}
