import { expect, test } from 'bun:test'
import { discardUnread } from '../../../src/roles/edge/linger.ts'

/** Long enough to reach the timeout of a test. */
const FOREVER_MS = 100_000

/** An upload whose body is sent until `isEnded`. */
function upload(connection: string, isEnded: boolean) {
  const state = { sent: 0, isCancelled: false }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (state.sent < 3) controller.enqueue(new Uint8Array(10))
      else if (isEnded) controller.close()
      else return new Promise(() => {})
      state.sent += 1
    },
    cancel() {
      state.isCancelled = true
    },
  })
  return { state, request: new Request('http://edge.test/', { method: 'PUT', headers: { connection }, body }) }
}

test('the body of a client that closes the connection is read to its end', async () => {
  const { request, state } = upload('close', true)
  await discardUnread(request, FOREVER_MS)
  expect(state).toEqual({ sent: 4, isCancelled: false })
})

test('a body that does not end is cancelled after the time limit', async () => {
  const { request, state } = upload('close', false)
  await discardUnread(request, 5)
  expect(state).toEqual({ sent: 3, isCancelled: true })
})

test('the body of a client that keeps the connection is not read', async () => {
  const { request } = upload('keep-alive', false)
  await discardUnread(request, FOREVER_MS)
  expect(request.bodyUsed).toBe(false)
})
