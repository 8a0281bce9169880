/** Introduction of the document, in Markdown. */
export const description = `
Upload a recording; every variant of the organization makes a file of it; files are delivered by addresses that are
valid for an hour.

1. \`POST /v1/upload_session\`, with a key.
2. \`POST /v1/upload/{upload_session_id}/track\` for every recording, without a key: the session's id is the credential.
3. \`PUT\` the bytes to \`track_upload.upload_url\`.
4. Wait for a webhook, or poll \`GET /v1/track/{track_id}\`, until the track is \`ready\`.
5. Share \`/v1/stream/{track_id}/{share key}\`.

Guides: [Build an app](/docs/guides/build-an-app), [Webhooks](/docs/guides/webhooks),
[Status codes](/docs/guides/status-codes), [Limits and cost](/docs/guides/limits-and-cost), [all](/docs/guides).

**Keys** are sent as \`Authorization: Bearer KEY\`. Four kinds: \`api\` may do everything within its scope, \`uploader\`
creates upload sessions, \`player\` creates play sessions, \`share\` opens stream links.

**Responses** are JSON with \`ok\` and, except for two operations, \`api_request_id\`. Fields may be added: ignore unknown
ones. **Errors** name the field and the rule that it broke in \`message\`, and have a stable \`code\`;
\`Accept: application/problem+json\` selects the form of RFC 9457. An unknown path is 404, a method that a path does not
have 405 with \`Allow\`.

**Bodies** are JSON objects of at most 1 MiB. Unknown fields are ignored. PUT changes the fields that are present; null
clears a nullable field.

**Lists** are newest first. **Times** are ISO 8601 in UTC.

**Retrying** a POST with a key is safe with an \`Idempotency-Key\`. Calls without a key ignore it.
`.trim()

/** Tags by the first segment of a path. */
const tagNames: Record<string, string> = {
  api_key: 'Keys',
  organization: 'Organizations',
  creator: 'Creators',
  variant: 'Variants',
  collection: 'Collections',
  track: 'Tracks',
  upload: 'Uploads',
  upload_session: 'Uploads',
  event: 'Events',
  play_session: 'Playback',
  play: 'Playback',
  stream: 'Delivery',
  usage: 'Usage',
}

const descriptions: Record<string, string> = {
  Organizations: 'Name, colors and settings of the organization.',
  Creators: 'Sub-accounts of the organization.',
  Collections: 'Albums, shows or courses that contain tracks.',
  Tracks: 'Recordings and the files generated from them.',
  Uploads: 'Upload sessions, and the addresses for the bytes.',
  Variants: 'Recipes for the files of every track.',
  Playback: 'Sessions for players. The ID of a session is the credential.',
  Delivery: 'Public links, and the files that they redirect to.',
  Keys: 'Keys and their permissions.',
  Events: 'Changes of records, as a list and as webhooks.',
  Usage: 'Usage for billing: plays, bytes and seconds.',
}

export const tags = Object.entries(descriptions).map(([name, description]) => ({ name, description }))

/** The tag of a route. `/v1/track/:trackId` is `Tracks`. */
export function findTag(path: string): string {
  const root = path.split('/')[2] ?? ''
  return tagNames[root] ?? root
}
