const HOST = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/

// Nearly all requests of a process have the same Host.
let lastValid: string | undefined

/**
 * Returns whether a Host header is one host name or IP address with an optional port. A URL with any other is invalid,
 * or has another path. Bun joins several Host headers with a comma.
 * @param host null without the header, which only HTTP/1.0 permits
 * @see RFC 9112, section 3.2
 */
export function isValidHost(host: string | null): boolean {
  if (host !== null && host === lastValid) return true
  if (host === null || !HOST.test(host) || !URL.canParse(`http://${host}/`)) return false
  lastValid = host
  return true
}

/**
 * The answer to a request without a valid Host header, in the envelope of the contract, section 1. OPTIONS without the header
 * is the default check of HAProxy, which takes any failure for a process that does not work: 204.
 * @param host null without the header
 */
export function answerInvalidHost(method: string, host: string | null): Response {
  const requestId = Bun.randomUUIDv7()
  const headers = { 'x-request-id': requestId, 'cache-control': 'no-store', connection: 'close' }
  if (method === 'OPTIONS' && host === null) return new Response(null, { status: 204, headers })
  const message = 'Host: must be one host name or address, with an optional port'
  const body = { ok: false, message, code: 'invalid_input', api_request_id: requestId }
  return Response.json(body, { status: 400, headers })
}
