import { expect, test } from 'bun:test'
import { stat } from 'node:fs/promises'
import { credentialsFile, followAddresses, readCredentials } from '../../src/cli/first-start.ts'
import { createOrganization } from '../../src/domain/organization/service.ts'
import type { Services } from '../../src/platform/context.ts'
import { data, signIn } from '../support/administrators.ts'
import { useTestService } from '../support/service.ts'

// With settings, so that the first start is its own and not a copy.
const service = useTestService({ DEMO: 'empty' })

/** The services of a later start with other addresses. */
function laterStart(addresses: Partial<Services['config']>): Services {
  return { ...service.services, config: { ...service.services.config, ...addresses } }
}

const moved = { publicUrl: 'http://localhost:4440', edgeUrl: 'http://localhost:4441' }
const domainOf = async (id: string) =>
  (await service.services.db.organization.findUniqueOrThrow({ where: { id } })).domain

test('credentials and default domains follow the addresses of a later start; set domains stay', async () => {
  const { demo, services } = service
  const ownDomain = await createOrganization(services, 'Own domain', 'cdn.example.com')
  const plain = await createOrganization(services, 'Default domain')
  const changed = await createOrganization(services, 'Changed by an administrator')
  await services.db.administrator.updateMany({ data: { organizationId: changed.id } })
  const { token } = await signIn(service)
  const change = `mutation ($id: ID!, $domain: String!) {
    updateOrganizationDomain(id: $id, domain: $domain) { organization { domain } } }`
  // The value of before counts as set, too.
  await data(service, change, { id: changed.id, domain: changed.domain }, token)

  await followAddresses(laterStart(moved))
  const { base_url, graphql_url, edge_url, ...otherCredentials } =
    (await readCredentials(service.dataDir)) ?? service.demo
  expect({ base_url, graphql_url, edge_url }).toEqual({
    base_url: 'http://localhost:4440',
    graphql_url: 'http://localhost:4440/graphql',
    edge_url: 'http://localhost:4441',
  })
  expect({ ...demo, ...otherCredentials }).toEqual(demo)
  expect((await stat(credentialsFile(service.dataDir))).mode & 0o777).toBe(0o600)
  expect(await domainOf(demo.organization_id)).toBe('localhost:4441')
  expect(await domainOf(plain.id)).toBe('localhost:4441')
  expect(await domainOf(ownDomain.id)).toBe('cdn.example.com')
  expect(await domainOf(changed.id)).toBe(changed.domain)

  // A command of an operator may run with other ports than the service.
  expect((await createOrganization(services, 'Later')).domain).toBe('localhost:4441')
})

test('with an external database nothing follows the addresses', async () => {
  const { organization_id: id } = service.demo
  const before = [await readCredentials(service.dataDir), await domainOf(id)]
  await followAddresses(
    laterStart({ publicUrl: 'http://localhost:5', edgeUrl: 'http://localhost:6', isEmbedded: false }),
  )
  expect([await readCredentials(service.dataDir), await domainOf(id)]).toEqual(before)
})
