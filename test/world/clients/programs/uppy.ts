// Uppy with its tus plugin and no page: uploads a file in chunks to the address of a track.
import { readFileSync } from 'node:fs'
import Uppy from '@uppy/core'
import Tus from '@uppy/tus'

const { BASE_URL = '', API_KEY = '', COLLECTION: collection_id, FILE = '' } = process.env
const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
const body = JSON.stringify({ collection_id, file_name: 'tone.wav' })
const created = await (await fetch(`${BASE_URL}/v1/track`, { method: 'POST', headers, body })).json()

const uppy = new Uppy().use(Tus, { endpoint: created.track_upload.upload_url, chunkSize: 100_000, retryDelays: [] })
// Without a page, tus-js-client takes bytes of Node only, and Uppy reads their size like that of a Blob.
const bytes = readFileSync(FILE)
const data = Object.assign(bytes, { size: bytes.length }) as unknown as Blob
uppy.addFile({ name: 'tone.wav', type: 'audio/wav', data })
const result = await uppy.upload()
const [successful, failed] = [result?.successful?.length, result?.failed?.map(({ error }) => error)]
console.log(JSON.stringify({ trackId: created.track_id, successful, failed }))
