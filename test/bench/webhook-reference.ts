// Sends guarded requests without a database, as the reference of the webhook bench: `webhook-reference.ts URL COUNT
// CONCURRENCY`. Prints requests per second.
import { guardedRequest } from '../../src/platform/egress/guarded-request.ts'

const [url = '', count = '0', concurrency = '1'] = process.argv.slice(2)
const options = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ title: 'x'.repeat(500) }),
  maxBytes: 20_000,
  timeoutMs: 15_000,
  idleTimeoutMs: 3_000,
  allowPrivate: true,
} as const
let remaining = Number(count)
const began = performance.now()
async function sendAll(): Promise<void> {
  while (remaining-- > 0) {
    const { body } = await guardedRequest(url, options)
    for await (const _ of body);
  }
}
await Promise.all(Array.from({ length: Number(concurrency) }, sendAll))
console.log((Number(count) / (performance.now() - began)) * 1000)
