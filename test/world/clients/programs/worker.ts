// The client in a Worker, which has neither XMLHttpRequest nor sockets of Node.
import { createClient, readData } from '@tonearm/client'

interface Settings {
  BASE_URL: string
  API_KEY: string
  COLLECTION: string
}

export default {
  async fetch(request: Request, { BASE_URL: baseUrl, API_KEY: apiKey, COLLECTION }: Settings): Promise<Response> {
    const server = createClient({ baseUrl, apiKey })
    const page = createClient({ baseUrl })
    const body = { collection_id: COLLECTION }
    const session = readData(await server.rest.POST('/v1/upload_session', { body }))
    const file = new File([await request.arrayBuffer()], 'worker.wav')
    const upload = await page.upload(file, { uploadSessionId: session.upload_session_id })
    const { track_status_id, progress } = await page.waitForUpload(upload)
    return Response.json({ track_status_id, progress })
  },
}
