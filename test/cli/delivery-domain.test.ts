import { beforeEach, expect, test } from 'bun:test'
import { deliveryDomainRoute } from '../../src/cli/health.ts'
import { createOrganization } from '../../src/domain/organization/service.ts'
import type { Services } from '../../src/platform/context.ts'
import { useTestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'

const service = useTestService()
beforeEach(() => {
  service.clock.now = new Date()
})

const createAsk = (services: Services) => {
  const route = deliveryDomainRoute(services)['/health/delivery-domain']
  return (host: string) =>
    route(new Request(`http://edge:3000/health/delivery-domain?domain=${encodeURIComponent(host)}`))
}
const statusOf = async (answer: Promise<Response>) => (await answer).status

test.each([
  ['files.example.org', 200],
  ['FILES.example.ORG', 200],
  ['ports.example.org', 200],
  ['localhost', 200],
  ['LocalHost', 200],
  ['example.org', 404],
  ['other.example.org', 404],
  ['files_example.org', 404],
  ['%', 404],
  ['', 404],
  ['a'.repeat(254), 404],
])('a proxy may obtain a certificate for %s: %p', async (host, status) => {
  await createOrganization(service.services, 'Files', 'files.example.org')
  await createOrganization(service.services, 'Files', 'ports.example.org:8443')
  expect(await statusOf(createAsk(service.services)(host))).toBe(status)
})

test('any number of questions within ten seconds is one statement', async () => {
  const ask = createAsk(service.services)
  const watched = watchStatements(service.services.pool)
  try {
    const hosts = Array.from({ length: 200 }, (_, at) => `host-${at}.example.org`)
    const answers = await Promise.all([...hosts, 'localhost'].map((host) => statusOf(ask(host))))
    expect(new Set(answers)).toEqual(new Set([404, 200]))
    for (const host of hosts.slice(0, 20)) expect(await statusOf(ask(host))).toBe(404)
    expect(watched.texts).toHaveLength(1)
  } finally {
    watched.stop()
  }
})

test('a new domain is recognized after ten seconds', async () => {
  const ask = createAsk(service.services)
  expect(await statusOf(ask('new.example.org'))).toBe(404)
  await createOrganization(service.services, 'New', 'new.example.org')
  service.clock.now = new Date(Date.now() + 11_000)
  expect(await statusOf(ask('new.example.org'))).toBe(200)
})

test('while the database is away, the domains that were read last count', async () => {
  let isAway = true
  const query = async () => {
    if (isAway) throw new Error('away')
    return { rows: [{ domain: 'kept.example.org' }] }
  }
  const ask = createAsk({ ...service.services, pool: { query } as never })
  expect(await statusOf(ask('kept.example.org'))).toBe(503)
  isAway = false
  expect(await statusOf(ask('kept.example.org'))).toBe(200)
  isAway = true
  service.clock.now = new Date(Date.now() + 11_000)
  expect([await statusOf(ask('kept.example.org')), await statusOf(ask('other.example.org'))]).toEqual([200, 404])
})
