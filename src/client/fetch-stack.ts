import type { HttpRequest, HttpResponse, HttpStack } from 'tus-js-client'

/** Sends the requests of tus by `fetch`: Workers have no XMLHttpRequest and no sockets of Node. */
export const fetchStack: HttpStack = {
  createRequest: (method, url) => createRequest(method, url),
  getName: () => 'fetch',
}

function createRequest(method: string, url: string): HttpRequest {
  const headers: Record<string, string> = {}
  const ending = new AbortController()
  let onProgress: Parameters<HttpRequest['setProgressHandler']>[0] = () => {}
  return {
    getMethod: () => method,
    getURL: () => url,
    setHeader: (name, value) => {
      headers[name] = value
    },
    getHeader: (name) => headers[name],
    setProgressHandler: (handler) => {
      onProgress = handler
    },
    async send(body?: Blob | Uint8Array<ArrayBuffer>): Promise<HttpResponse> {
      const response = await fetch(url, { method, headers, body, signal: ending.signal })
      const text = await response.text()
      if (body) onProgress(body instanceof Blob ? body.size : body.byteLength)
      return {
        getStatus: () => response.status,
        getHeader: (name) => response.headers.get(name) ?? undefined,
        getBody: () => text,
        getUnderlyingObject: () => response,
      }
    },
    abort: async () => ending.abort(),
    getUnderlyingObject: () => null,
  }
}
