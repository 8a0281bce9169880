import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { LINK_MINUTES } from '../domain/access/sign-in-link/record.ts'
import { type Credentials, credentialsFile } from './first-start.ts'

/** The demo organization, when a start has created it. */
export interface FirstStart {
  credentials: Credentials
  /** A credential, for people on a terminal only. */
  signInLink: string | null
}

/**
 * Text that is printed after the start: the addresses, and on the very first start the commands of a first upload.
 * Contains no key. Contains a sign-in link only if `first` does: other output may be a log.
 */
export function welcome(config: Config, first: FirstStart | null): string {
  const file = resolve(credentialsFile(config.dataDir))
  // A restored installation has none: a backup does not contain it.
  const hasKeys = first !== null || (config.isDemo && existsSync(file))
  const where = `
  Tonearm is running.

    Studio    ${config.publicUrl}/studio
${config.isDocs ? `    Docs      ${config.publicUrl}/docs/guides\n` : ''}    REST      ${config.publicUrl}/v1
    GraphQL   ${config.publicUrl}/graphql
    Health    ${config.publicUrl}/health/ready
    Uploads   ${config.edgeUrl}
${hasKeys ? `    Keys      ${file}\n` : ''}`
  if (!first) return where
  return `${where}
  A first upload, in another terminal. Replace song.mp3 with a recording of yours. The stream link works when the
  track is processed, so the loop waits for that:

    cred() { grep -o '"'$1'": "[^"]*' ${file} | cut -d '"' -f 4; }
    field() { grep -o '"'$1'":"[^"]*' upload.json | head -n 1 | cut -d '"' -f 4; }
    curl -s "$(cred base_url)/v1/upload_session" -H "Authorization: Bearer $(cred api_key)" \\
      -H 'Content-Type: application/json' \\
      -d '{"collection_id":"'$(cred collection_id)'","track":{"file_name":"song.mp3"}}' > upload.json
    curl -T song.mp3 "$(field upload_url)"
    while curl -s "$(cred base_url)/v1/track/$(field track_id)" -H "Authorization: Bearer $(cred api_key)" |
      grep -qE '"track_status_id":"(initialized|[a-z_]*processing)"'; do sleep 1; done
    curl -fsSL -o sound.m4a "$(cred base_url)/v1/stream/$(field track_id)/$(cred share_key)"

  The same with progress:  bun run demo song.mp3

${describeDemo(config, first)}`
}

/** The last lines, because a terminal shows the end of a text. */
function describeDemo({ hasDemoAlbum }: Config, { credentials, signInLink }: FirstStart): string {
  const album = hasDemoAlbum ? '. Its album is ready in a few seconds' : ''
  const { email } = credentials.admin
  const way =
    signInLink === null
      ? `This prints a link to its studio; the password of ${email} is with the keys:

    bun run admin sign-in-link --email ${email}`
      : `This link opens its studio, once and for ${LINK_MINUTES} minutes:

    ${signInLink}`
  return `  A demo organization was created${album}.
  ${way}
`
}
