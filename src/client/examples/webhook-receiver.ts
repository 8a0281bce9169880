// Receives webhooks and verifies their signatures: `WEBHOOK_SECRET=whsec_… PORT=8080 node webhook-receiver.js`.
import { createServer } from 'node:http'
import { verifyWebhook, WebhookVerificationError } from '@tonearm/client/webhook'

const { WEBHOOK_SECRET = '', PORT = '8080' } = process.env
/** Events can arrive twice. A real receiver stores their IDs with the effect of the event, in one transaction. */
const receivedIds = new Set<string>()

createServer(async (request, response) => {
  try {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { id, event } = verifyWebhook(body, request.headers, WEBHOOK_SECRET)
    if (!receivedIds.has(id) && event.type === 'track.status_changed')
      console.log(event.data.track_id, event.data.status)
    receivedIds.add(id)
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) console.error(error)
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end()
  }
}).listen(Number(PORT))
