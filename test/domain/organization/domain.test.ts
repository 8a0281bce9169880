// Which hosts may deliver the files of an organization.
import { describe, expect, test } from 'bun:test'
import { createOrganization, updateOrganizationDomain } from '../../../src/domain/organization/service.ts'
import type { Context } from '../../../src/platform/context.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
const publicly = { publicUrl: 'https://api.example.com', edgeUrl: 'https://files.example.com' }
const locally = { publicUrl: 'http://localhost:3000', edgeUrl: 'http://localhost:3001' }
type Addresses = typeof publicly

/** @returns the message of the refusal, or null */
async function update(domain: string, addresses: Addresses): Promise<string | null> {
  const { services, demo } = service
  const { id } = await services.db.administrator.findFirstOrThrow()
  const viewer = { type: 'administrator', role: 'OWNER', administratorId: id, organizationId: demo.organization_id }
  const ctx = { ...services, config: { ...services.config, ...addresses }, viewer } as Context
  return updateOrganizationDomain(ctx, demo.organization_id, domain).then(
    () => null,
    ({ message }: Error) => message,
  )
}

const OF_API = 'domain: must not be the host of the API'
const PRIVATE = 'domain: must be a public host name or address'

describe('a domain that an administrator sets', () => {
  test.each([
    ['audio.label.example', null],
    ['audio.label.example:8443', null],
    ['93.184.216.34', null],
    ['files.example.com', null],
    ['api.example.com', OF_API],
    ['api.example.com:8443', OF_API],
    ['localhost', PRIVATE],
    ['localhost:21000', PRIVATE],
    ['127.0.0.1:3001', PRIVATE],
    ['169.254.169.254', PRIVATE],
    ['10.0.0.7', PRIVATE],
    ['192.168.1.1', PRIVATE],
    ['0.0.0.0', PRIVATE],
    ['intranet', PRIVATE],
    ['nas.local', PRIVATE],
    ['db.internal', PRIVATE],
  ])('on a public service, %s: %p', async (domain, refusal) => {
    expect(await update(domain, publicly)).toBe(refusal)
  })

  test.each([
    ['localhost:3001', null],
    ['192.168.1.1:3001', null],
    ['nas.local', null],
    ['localhost:3000', OF_API],
    ['localhost:8080', OF_API],
  ])('on a local service, %s: %p', async (domain, refusal) => {
    expect(await update(domain, locally)).toBe(refusal)
  })
})

test('an operator may set a private domain, but not that of the API', async () => {
  const services = { ...service.services, config: { ...service.services.config, ...publicly } }
  expect((await createOrganization(services, 'Intranet', 'audio.local')).domain).toBe('audio.local')
  expect(createOrganization(services, 'Mistaken', 'API.example.com')).rejects.toThrow(OF_API)
})
