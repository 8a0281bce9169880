// Verifies a webhook as it was received with the libraries of Standard Webhooks and of Svix.
import { readFileSync } from 'node:fs'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'

interface Received {
  secret: string
  headers: Record<string, string>
  body: string
}
const { secret, headers, body }: Received = JSON.parse(readFileSync(process.env.RECEIVED ?? '', 'utf8'))

const accepts = (verify: () => unknown): boolean => {
  try {
    verify()
    return true
  } catch {
    return false
  }
}
const results = [new StandardWebhook(secret), new SvixWebhook(secret)].map((verifier) => [
  accepts(() => verifier.verify(body, headers)),
  accepts(() => verifier.verify(`${body} `, headers)),
  accepts(() => verifier.verify(body, { ...headers, 'webhook-id': 'another' })),
])
console.log(JSON.stringify(results))
