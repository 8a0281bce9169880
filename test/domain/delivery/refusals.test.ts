// The limit of refused delivery addresses: forged ones must not cost the database any number of look-ups.
import { beforeAll, expect, test } from 'bun:test'
import { signDelivery } from '../../../src/domain/delivery/token.ts'
import { createEdge } from '../../../src/roles/edge/app.ts'
import { tone } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'
import { deliverySecrets } from '../../support/signing-secret.ts'
import { watchStatements } from '../../support/statements.ts'

const service = useTestService({ RATE_LIMITS: 'on' })
let path: string
let secret: string
beforeAll(async () => {
  const { id } = await processed(service, await tone(1), 'song.wav')
  const files = (await service.v1('GET', `/track/${id}`)).json.files
  path = `/${files.find(({ variant }: { variant: { index: string } }) => variant.index === 'hq').path}`
  ;[secret = ''] = await deliverySecrets(service)
}, 60_000)

const sign = (file: string, by: string) => `${file}?verify=${signDelivery(by, file, Math.floor(Date.now() / 1000))}`
const ask = async (edge: ReturnType<typeof createEdge>, address: string, peer: string) =>
  (await edge(new Request(`http://edge.test${address}`), { peer: () => peer })).status

test('after 600 refused addresses of a client, the next one is refused without a statement', async () => {
  const edge = createEdge(service.services)
  const forged = (at: number) => sign(`/forged/${at}_hq.m4a`, 'guess')
  expect(await ask(edge, sign(path, secret), '192.0.2.1')).toBe(200)
  for (let at = 0; at < 600; at += 100) {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, more) => ask(edge, forged(at + more), '192.0.2.1')),
    )
    expect(new Set(answers)).toEqual(new Set([403]))
  }
  const watched = watchStatements(service.services.pool)
  try {
    const limited = await edge(new Request(`http://edge.test${forged(600)}`), { peer: () => '192.0.2.1' })
    expect(limited.status).toBe(429)
    expect(Number(limited.headers.get('retry-after'))).toBeWithin(1, 61)
    // A known file with a forged signature, too.
    expect(await ask(edge, sign(path, 'guess'), '192.0.2.1')).toBe(429)
    expect(watched.texts).toEqual([])
  } finally {
    watched.stop()
  }
  // Other clients, and files that the edge has served.
  expect(await ask(edge, forged(601), '192.0.2.2')).toBe(403)
  expect(await ask(edge, sign(path, secret), '192.0.2.1')).toBe(200)
  // Expired addresses do not count.
  expect(await ask(edge, `${path}?verify=1-${'a'.repeat(43)}`, '192.0.2.1')).toBe(410)
})
