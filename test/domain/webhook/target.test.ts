// URLs of webhook endpoints: rules that need no name resolution (contract, section 7).
import { expect, test } from 'bun:test'
import { webhookInputs } from '../../../src/domain/webhook/record.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { isPublicAddress } from '../../../src/platform/http/address.ts'
import { parse } from '../../../src/platform/schema/parse.ts'

function rule(url: string, isWebhookPrivateAllowed = false): string | null {
  try {
    parse(webhookInputs({ isWebhookPrivateAllowed }).create, { url })
    return null
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    return (error as AppError).message
  }
}

test.each([
  'https://hooks.example.com',
  'https://hooks.example.com:8443/a/b?c=d@e',
  'HTTPS://HOOKS.example.com/',
  'https://93.184.216.34/hook',
  'https://[2606:2800:220:1::1]/hook',
  `https://example.com/${'x'.repeat(2048 - 20)}`,
])('accepts %s', (url) => {
  expect(rule(url)).toBeNull()
})

const PRIVATE = 'url: must not be a private address'
test.each([
  ['https://127.0.0.1/', PRIVATE],
  ['https://127.1/', PRIVATE],
  ['https://2130706433/', PRIVATE],
  ['https://0x7f000001/', PRIVATE],
  ['https://0177.0.0.1/', PRIVATE],
  ['https://127.0.0.1./', PRIVATE],
  ['https://10.0.0.1/', PRIVATE],
  ['https://172.16.0.1/', PRIVATE],
  ['https://192.168.1.1:8443/', PRIVATE],
  ['https://169.254.169.254/latest/meta-data', PRIVATE],
  ['https://100.64.0.1/', PRIVATE],
  ['https://0.0.0.0/', PRIVATE],
  ['https://224.0.0.1/', PRIVATE],
  ['https://255.255.255.255/', PRIVATE],
  ['https://[::1]/', PRIVATE],
  ['https://[::]/', PRIVATE],
  ['https://[::ffff:127.0.0.1]/', PRIVATE],
  ['https://[::ffff:a9fe:a9fe]/', PRIVATE],
  ['https://[::7f00:1]/', PRIVATE],
  ['https://[64:ff9b::7f00:1]/', PRIVATE],
  ['https://[2002:7f00:1::]/', PRIVATE],
  ['https://[2001:0:7f00:1::]/', PRIVATE],
  ['https://[fe80::1]/', PRIVATE],
  ['https://[fd00::1]/', PRIVATE],
  ['https://[fec0::1]/', PRIVATE],
  ['https://localhost/', PRIVATE],
  ['https://LOCALHOST./', PRIVATE],
  ['https://a.localhost:3000/', PRIVATE],
  ['http://hooks.example.com/', 'url: must be an https address'],
  ['ftp://hooks.example.com/', 'url: must be an https address'],
  ['javascript:alert(1)', 'url: must be an https address'],
  ['hooks.example.com', 'url: must be an https address'],
  ['https:hooks.example.com', 'url: must be an https address'],
  ['https:///hooks.example.com', 'url: must be an https address'],
  ['https://', 'url: must be an https address'],
  ['https://exa mple.com/', 'url: must be an https address'],
  ['https://example.com/\n', 'url: must be an https address'],
  ['https://example.com\\@127.0.0.1/', 'url: must be an https address'],
  ['https://user:word@example.com/', 'url: must not contain a user or password'],
  ['https://user@example.com/', 'url: must not contain a user or password'],
  ['https://@example.com/', 'url: must not contain a user or password'],
  ['https://example.com/#', 'url: must not have a fragment'],
  ['https://example.com/#a', 'url: must not have a fragment'],
  [`https://example.com/${'x'.repeat(2048 - 19)}`, 'url: must be at most 2048 characters long'],
])('refuses %s', (url, message) => {
  expect(rule(url)).toBe(message)
})

test('accepts private addresses and http if configured; the other rules apply', () => {
  for (const url of ['http://127.0.0.1:9000/hook', 'https://10.0.0.1/', 'http://localhost/', 'http://[::1]/']) {
    expect(rule(url, true), url).toBeNull()
  }
  expect(rule('http://user@localhost/', true)).toBe('url: must not contain a user or password')
  expect(rule('ftp://localhost/', true)).toBe('url: must be an https address')
  expect(rule('http://localhost/#a', true)).toBe('url: must not have a fragment')
})

test('does not treat an invalid address as public', () => {
  const valid = ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8']
  expect(['', 'example.com', '[::1]', ...valid].filter(isPublicAddress)).toEqual(valid)
})
