import { expect, test } from 'bun:test'
import { addressBlock, clientAddress } from '../../../src/platform/http/client-address.ts'

const behindProxy = (forwarded: string) => clientAddress(new Headers({ 'x-forwarded-for': forwarded }), '127.0.0.1', 1)

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['255.255.255.255', '255.255.255.255'],
  [' 203.0.113.7 ', '203.0.113.7'],
  ['203.0.113.7:4711', '203.0.113.7'],
  ['10.0.0.1, 203.0.113.7', '203.0.113.7'],
  ['0313.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['[2001:DB8::1]:4711', '2001:db8::1'],
  ['203.0.113.256', '127.0.0.1'],
  ['203.0.113.7.', '127.0.0.1'],
  ['unknown', '127.0.0.1'],
])('reads %p as %p', (forwarded, expected) => {
  expect(behindProxy(forwarded)).toBe(expected)
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:ffff::9', '2001:db8:1:2::/64'],
  ['203.0.113.256', 'unknown'],
  [null, 'unknown'],
])('limits %p by %p', (address, expected) => {
  expect(addressBlock(address)).toBe(expected)
})
