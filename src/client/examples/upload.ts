// Uploads a recording with progress, waits for its files, and prints a link that plays: `node upload.js song.mp3`.
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { createClient } from '@tonearm/client'

const { BASE_URL = 'http://localhost:3000', API_KEY, COLLECTION = '', SHARE_KEY = '' } = process.env
const [path = ''] = process.argv.slice(2)
const tonearm = createClient({ baseUrl: BASE_URL, apiKey: API_KEY })

const { trackId } = await tonearm.upload(await openAsBlob(path), {
  collectionId: COLLECTION,
  track: { file_name: basename(path) },
  onProgress: (sent, total) => console.log(`${Math.floor((100 * sent) / total)} %`),
})
const { files } = await tonearm.waitForTrack(trackId, {
  onChange: ({ track }) => console.log(track.track_status_id),
  signal: AbortSignal.timeout(30 * 60_000),
})
for (const { variant, content_type, size } of files) console.log(variant.index, content_type, size)
console.log(tonearm.streamUrl(trackId, SHARE_KEY))
