import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'

/** Idle connections that are kept. */
const MAX_IDLE = 64

/**
 * Creates a function that requests objects on connections of its own. Bun sends at most 256 fetches at once in a
 * process, and a body that its reader has paused keeps its place: paused listeners would stop all other requests to the
 * bucket. The number of these connections is limited where they are asked for (`createDeliveryLimit`, slots of workers).
 */
export function createObjectRequests(endpoint: string) {
  const isTls = endpoint.startsWith('https:')
  const settings = { keepAlive: true, maxFreeSockets: MAX_IDLE }
  const send = isTls ? requestHttps : requestHttp
  const agent = isTls ? new HttpsAgent(settings) : new HttpAgent(settings)

  /** @param signal ends the request and its body. Its reason is their error */
  return ({ url, method, headers }: Request, signal: AbortSignal): Promise<IncomingMessage> => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    if (signal.aborted) return Promise.reject(signal.reason)
    const request = send(url, { method, headers: Object.fromEntries(headers), agent })
    const end = () => {
      reject(signal.reason)
      request.destroy(signal.reason)
    }
    signal.addEventListener('abort', end, { once: true })
    request.on('error', reject)
    request.on('response', resolve)
    request.on('close', () => signal.removeEventListener('abort', end))
    request.end()
    return promise
  }
}
