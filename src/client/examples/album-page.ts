// Serves a page that plays the tracks of an album: `PORT=8080 node album-page.js`. The API key stays on this server.
import { createServer } from 'node:http'
import { createClient } from '@tonearm/client'

const { BASE_URL = 'http://localhost:3000', API_KEY, COLLECTION = '', PORT = '8080' } = process.env
const tonearm = createClient({ baseUrl: BASE_URL, apiKey: API_KEY })

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** Each visitor gets a play session, whose files play for an hour without a key. */
async function renderAlbum(): Promise<string> {
  const { play_session_id, tracks, player_color } = await tonearm.createPlaySession({ collectionId: COLLECTION })
  const items = await Promise.all(tracks.map(({ id }) => renderTrack(play_session_id, id)))
  return `<!doctype html><meta charset="utf-8"><title>Album</title>
<style>h1 { color: ${escapeHtml(player_color)} } img { width: 4rem }</style>
<h1>Album</h1><ol>${items.join('\n')}</ol>`
}

async function renderTrack(playSessionId: string, trackId: string): Promise<string> {
  const { track, variants, cover_image } = await tonearm.getPlayback(playSessionId, trackId)
  const cover = cover_image ? `<img alt="" src="${escapeHtml(cover_image.small.url)}">` : ''
  const [file] = variants
  const sound = file?.url ? `<audio controls preload="none" src="${escapeHtml(file.url)}"></audio>` : 'not ready'
  return `<li>${cover} ${escapeHtml(track.player_title)} ${sound}</li>`
}

createServer(async (_, response) => {
  try {
    const page = await renderAlbum()
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  } catch (error) {
    console.error(error)
    response.writeHead(502).end()
  }
}).listen(Number(PORT))
