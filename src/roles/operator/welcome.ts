import type { Config } from '../../config.ts'
import { type Credentials, credentialsFile } from './first-start.ts'

/**
 * What the terminal shows when the service is up: where it listens, and on the very first start a first upload to
 * paste. The one place where keys are shown.
 */
export function welcome(config: Config, demo: Credentials | null): string {
  const where = `
  Tonearm is running.

    REST      ${config.publicUrl}/v1
    GraphQL   ${config.publicUrl}/graphql
    Health    ${config.publicUrl}/health/ready
    Uploads   ${config.edgeUrl}
`
  if (!demo) return config.isEmbedded ? `${where}    Keys      ${credentialsFile(config.dataDir)}\n` : where
  return `${where}
  A demo organization was made. Its keys are in ${credentialsFile(config.dataDir)}
  GraphiQL: sign in as ${demo.admin.email}, password ${demo.admin.password}

  A first upload, in another terminal, with a recording of yours in place of song.mp3. The link at its end answers
  404 until the track is ready, so the last command tries again for a while:

    KEY=${demo.api_key}
    curl -s ${demo.base_url}/v1/upload_session -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
      -d '{"collection_id":"${demo.collection_id}","track":{"file_name":"song.mp3"}}' > upload.json
    field() { grep -o "\\"$1\\":\\"[^\\"]*\\"" upload.json | head -n 1 | cut -d '"' -f 4; }
    curl -T song.mp3 "$(field upload_url)"
    curl -fsSL --retry 60 --retry-delay 1 --retry-all-errors -o sound.m4a \\
      "${demo.base_url}/v1/stream/$(field track_id)/${demo.share_key}"

  Or all of it with progress:  bun run demo song.mp3
`
}
