import { expect, test } from 'bun:test'
import { deliveryDomainRoute } from '../../src/cli/health.ts'
import { createOrganization } from '../../src/domain/organization/service.ts'
import { useTestService } from '../support/service.ts'

const service = useTestService()

test.each([
  ['files.example.org', 200],
  ['FILES.example.ORG', 200],
  ['localhost', 200],
  ['example.org', 404],
  ['other.example.org', 404],
  ['files_example.org', 404],
  ['%', 404],
  ['', 404],
  ['a'.repeat(254), 404],
])('a proxy may obtain a certificate for %s: %p', async (host, status) => {
  await createOrganization(service.services, 'Files', 'files.example.org')
  const route = deliveryDomainRoute(service.services)['/health/delivery-domain']
  const answer = await route(new Request(`http://edge:3000/health/delivery-domain?domain=${encodeURIComponent(host)}`))
  expect(answer.status).toBe(status)
})
