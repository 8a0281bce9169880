import type { Services } from '../../platform/context.ts'

/** Lifetime of a grant for a share key: a recording of hours, with a pause over night. */
export const GRANT_SECONDS = 86_400

/** A permission to read an adaptive stream: by a share key whose play was counted, or by a play session. */
export interface AdaptiveGrant {
  kind: 'key' | 'session'
  /** UUID of the share key or of the play session. */
  id: string
  trackId: string
  /** Unix seconds. */
  expires: number
}

/** Names of the playlists: of HTTP Live Streaming, and of MPEG-DASH. */
export const playlistNames = { m3u8: 'master.m3u8', mpd: 'manifest.mpd' } as const
export type PlaylistForm = keyof typeof playlistNames

/** Returns the address of a playlist. Those of its parts are relative to it. */
export const playlistUrl = (
  services: Pick<Services, 'signing' | 'config'>,
  grant: AdaptiveGrant,
  form: PlaylistForm,
): string =>
  `${services.config.publicUrl}/v1/adaptive/${grant.trackId}/${writeGrant(services, grant)}/${playlistNames[form]}`

const [kinds, letters] = [{ k: 'key', s: 'session' } as const, { key: 'k', session: 's' } as const]
const GRANT = /^(([ks])(\d{1,12})\.([0-9a-f-]{36}))\.([\w-]{43})$/

/** Returns a grant as a part of an address. It names the share key by its ID, which opens nothing. */
function writeGrant({ signing }: Pick<Services, 'signing'>, grant: AdaptiveGrant): string {
  const { kind, id, expires } = grant
  const text = `${letters[kind]}${expires}.${id}`
  return `${text}.${signing.adaptiveTag(text, grant.trackId)}`
}

/** Reads a grant from an address. Null for one that was not issued here for the track, and after its end. */
export function readAdaptiveGrant(
  { signing, clock }: Pick<Services, 'signing' | 'clock'>,
  trackId: string,
  text: string,
): AdaptiveGrant | null {
  const [, signed = '', letter, expires = '', id = '', tag = ''] = GRANT.exec(text) ?? []
  if (!signing.isAdaptiveTag(signed, trackId, tag)) return null
  const grant = { kind: kinds[letter as keyof typeof kinds], id, trackId, expires: Number(expires) }
  return grant.expires * 1000 > clock().getTime() ? grant : null
}
