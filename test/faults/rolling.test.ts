// A release: nine processes are replaced one after another while clients work. With PgBouncer where it is installed.
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { hasPgBouncer } from '../support/pgbouncer.ts'
import { subscribe } from '../support/subscriber.ts'
import { call } from './client.ts'
import { type Deployment, type Role, startDeployment } from './deployment.ts'
import { expectCleanStop, expectIntact } from './invariants.ts'
import { LIMIT_MS, underLoad } from './load.ts'

setDefaultTimeout(LIMIT_MS)

let deployment: Deployment
afterEach(() => deployment?.stop())

const roles: readonly Role[] = ['gateway', 'edge', 'worker']
const threeOfEach = roles.flatMap((role) => [[role], [role], [role]])

test('each of nine processes is replaced under load: no request fails, every upload is ready, no event is double', async () => {
  deployment = await startDeployment({ storage: 's3', members: threeOfEach, isPooled: hasPgBouncer })
  const { api_key: key, collection_id: collectionId } = deployment.credentials
  const [gateway] = deployment.of('gateway')
  const watch = { key, variables: { collectionId }, isPersistent: true }
  const subscriber = subscribe(`${gateway?.gatewayUrl}/graphql`, watch)
  const statuses: number[] = []
  const uploads = await underLoad(deployment, 24, async () => {
    for (const member of deployment.members) {
      statuses.push(await deployment.replace(member))
      // Every gateway sees what any of them has written.
      const { collections } = await call(deployment, 'GET', '/collection')
      expect(collections.map(({ id }: { id: string }) => id)).toContain(collectionId)
    }
  })
  expect(statuses).toEqual(threeOfEach.map(() => 0))
  await expectIntact(deployment, uploads)
  const ended = new Set(subscriber.changes().flatMap(({ trackId, isFinal }) => (isFinal ? [trackId] : [])))
  expect(uploads.filter(({ trackId }) => ended.has(trackId)).length).toBeGreaterThan(0)
  subscriber.leave()
  await expectCleanStop(deployment)
})
