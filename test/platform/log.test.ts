import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createLog } from '../../src/platform/log.ts'
import { withOrigin } from '../../src/platform/origin.ts'
import { findLogMessages } from '../support/log-messages.ts'

const guide = join(import.meta.dir, '../../src/web/docs/guides/observe.md')

describe('the guide "Observe"', () => {
  test('lists every message of the log above debug with its level, and no other', async () => {
    const messages = await findLogMessages()
    expect(messages.length).toBeGreaterThan(50)
    const [, table = ''] = (await Bun.file(guide).text()).split('| level | message |')
    const listed = [...table.matchAll(/^\| (\w+) \| `(.+?)` \| \S.* \|$/gm)].map(
      ([, level, text]) => `${level} ${text}`,
    )
    expect(new Set(listed).size).toBe(listed.length)
    const logged = new Set(messages.map(({ level, message }) => `${level} ${message}`))
    expect([...logged].filter((message) => !listed.includes(message))).toEqual([])
    expect(listed.filter((message) => !logged.has(message))).toEqual([])
  })
})

test('a line has the request that it is written for, and a line outside of requests has none', async () => {
  const lines: string[] = []
  const log = createLog('info', 'json')
  const stream = Reflect.get(
    log,
    Object.getOwnPropertySymbols(log).find(({ description }) => description === 'pino.stream') ?? '',
  )
  stream.write = (line: string) => lines.push(line)
  withOrigin({ requestId: 'r1', span: null }, () => log.info({ a: 1 }, 'inside'))
  withOrigin({ requestId: 'r1', span: null }, () => log.info({ requestId: 'own' }, 'inside'))
  withOrigin({ requestId: null, span: null }, () => log.info('periodic'))
  log.info('outside')
  expect(lines.map((line) => JSON.parse(line).requestId)).toEqual(['r1', 'own', undefined, undefined])
})
