import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { type Credentials, credentialsFile } from './first-start.ts'

/**
 * Text that is printed after the start: the addresses, and on the very first start the commands of a first upload.
 * Contains no key, because standard output may be a log.
 */
export function welcome(config: Config, demo: Credentials | null): string {
  const file = resolve(credentialsFile(config.dataDir))
  const where = `
  Tonearm is running.

    Studio    ${config.publicUrl}/studio
${config.isDocs ? `    Docs      ${config.publicUrl}/docs/guides\n` : ''}    REST      ${config.publicUrl}/v1
    GraphQL   ${config.publicUrl}/graphql
    Health    ${config.publicUrl}/health/ready
    Uploads   ${config.edgeUrl}
`
  // A restored installation has none: a backup does not contain it.
  if (!demo) return config.isDemo && existsSync(file) ? `${where}    Keys      ${file}\n` : where
  return `${where}
  A demo organization was created. Its keys are in ${file}.
  Sign in to the studio as ${demo.admin.email} with the password in that file.

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
`
}
