import { expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook, WebhookVerificationError } from '../../src/client/webhook.ts'

const SECRET = `whsec_${Buffer.from('a secret of the tests').toString('base64')}`
const BODY = JSON.stringify({ type: 'webhook.test', timestamp: '2026-01-01T00:00:00Z', data: {} })
const now = new Date()
const headers = {
  'webhook-id': 'one',
  'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
  'webhook-signature': new Webhook(SECRET).sign('one', now, BODY),
}
const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))

test.each([
  ['Headers', new Headers(headers)],
  ['an object of node:http', headers],
  ['an object with names in upper case', upper],
])('the ID and the event are read with %s', (_, sentHeaders) => {
  expect(verifyWebhook(BODY, sentHeaders, SECRET)).toEqual({ id: 'one', event: JSON.parse(BODY) })
})

test.each([
  ['another body', BODY.replace('test', 'text'), headers],
  ['another ID', BODY, { ...headers, 'webhook-id': 'two' }],
  ['no ID', BODY, { ...headers, 'webhook-id': undefined }],
])('%s is refused', (_, body, sentHeaders) => {
  expect(() => verifyWebhook(body, sentHeaders, SECRET)).toThrow(WebhookVerificationError)
})
