// Changes that end deliveries are answered when no edge delivers any more: not even one that cannot learn of them.
import { beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { sealSecret } from '../../../src/domain/delivery/secret.ts'
import type { Services } from '../../../src/platform/context.ts'
import { createEdge } from '../../../src/roles/edge/app.ts'
import { data, signIn } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'
import { deliverySecrets } from '../../support/signing-secret.ts'
import { variantId, variantsAs, withVariants } from '../../support/variants.ts'

const service = useTestService()
let sound: Uint8Array<ArrayBuffer>
let token: string
beforeAll(async () => {
  sound = await tone(1)
  token = (await signIn(service)).token
})

const REMOVE = `mutation ($organizationId: ID!, $id: ID!) {
  removeSigningSecret(organizationId: $organizationId, id: $id, isForced: true) { removedSigningSecret { id } } }`

/** Removes the secret that has signed so far, after another one signs. */
async function removeSecret(): Promise<void> {
  const { organization } = service.services.db
  const organizationId = service.demo.organization_id
  const [secret = ''] = await deliverySecrets(service)
  const signingSecrets = ['another-secret', secret].map((text) => sealSecret(service.services, text))
  await organization.update({ where: { id: organizationId }, data: { signingSecrets } })
  const id = createHash('sha256').update(secret).digest('hex').slice(0, 16)
  await data(service, REMOVE, { organizationId, id }, token)
}

const changes: [what: string, change: (track: { id: string; collectionId: string }) => Promise<unknown>][] = [
  ['a track', ({ id }) => service.v1('DELETE', `/track/${id}`)],
  ['a variant', async () => variantsAs(service, token).remove(await variantId(service, 'hq'))],
  ['a signing secret', removeSecret],
  ['a collection', ({ collectionId }) => service.v1('DELETE', `/collection/${collectionId}`)],
]

test.each(changes)('the deletion of %s', async (what, change) => {
  const indexes = what === 'a variant' ? ['hq'] : ['lq']
  const { id, track, files } = await withVariants(service, indexes, () => processed(service, sound, 'a.wav'))
  const address = files[indexes[0] ?? ''].url
  const { pool } = service.services
  let isLost = false
  const query = (...args: Parameters<typeof pool.query>) =>
    isLost ? Promise.reject(new Error('no connection')) : pool.query(...args)
  const edge = createEdge({ ...service.services, pool: { query } as unknown as Services['pool'] })
  const status = async () => (await edge(new Request(address))).status
  // A slow machine may need several tries: what an edge knows counts for 50 ms.
  do {
    isLost = false
    expect(await status()).toBe(200)
    isLost = true
  } while ((await status()) !== 200)
  await change({ id, collectionId: track.collection_id })
  expect(await status()).toBe(500)
})
