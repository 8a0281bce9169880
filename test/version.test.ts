import { afterAll, beforeAll, expect, test } from 'bun:test'
import manifest from '../package.json'
import { healthRoutes } from '../src/cli/health.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

test('health, the OpenAPI document and GraphQL show the version of package.json', async () => {
  const ready = await healthRoutes(service.services, () => false)['/health/ready']()
  expect(await ready.json()).toMatchObject({ version: manifest.version })
  const { json } = await service.request('GET', '/openapi.json', { key: null })
  expect(json.info.version).toBe(manifest.version)
  expect(await service.graphql('{ version }', {}, null)).toMatchObject({ data: { version: manifest.version } })
})
