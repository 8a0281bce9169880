// Runs the receiver of the guide "Webhooks" unchanged.
import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { data } from '../../support/administrators.ts'
import { type Everybody, everybody } from '../../support/everybody.ts'
import { lastingPort } from '../../support/ports.ts'
import { deliverDue } from '../../support/receiver.ts'
import { useTestService } from '../../support/service.ts'

const root = join(import.meta.dir, '../../..')
const service = useTestService()
let who: Everybody
beforeAll(async () => {
  who = await everybody(service)
})

const runtimes = [
  { name: 'Bun', command: [process.execPath, '-e'] },
  { name: 'Node', command: [Bun.which('node') ?? '', '--input-type=module', '-e'] },
].filter(({ command: [program] }) => program)

test.each(runtimes)('the receiver accepts signed events and refuses others, with $name', async ({ command }) => {
  const guide = await Bun.file(join(root, 'src/web/docs/guides/webhooks.md')).text()
  const source = /```js\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
  expect(source.trim().split('\n').length).toBeLessThanOrEqual(16)
  const port = await lastingPort()
  const set = 'mutation ($url: String!) { updateWebhook(input: { url: $url }) { secret } }'
  await data(service, set, { url: `http://localhost:${port}/` }, who.owner)
  const rotate = 'mutation { rotateWebhookSecret { secret } }'
  const { secret } = (await data(service, rotate, {}, who.owner)).rotateWebhookSecret
  const env = { PATH: process.env.PATH ?? '', WEBHOOK_SECRET: secret, PORT: String(port) }
  const receiver = Bun.spawn([...command, source], { cwd: root, env, stdout: 'pipe', stderr: 'inherit' })
  try {
    const forged = () => fetch(`http://localhost:${port}/`, { method: 'POST', body: '{}' }).catch(() => null)
    let answer = await forged()
    while (answer === null && receiver.exitCode === null) answer = await forged()
    expect(answer?.status).toBe(401)
    const id = Bun.randomUUIDv7()
    const old = {
      'webhook-id': id,
      'webhook-timestamp': '1',
      'webhook-signature': new Webhook(secret).sign(id, new Date(1000), '{}'),
    }
    expect((await fetch(`http://localhost:${port}/`, { method: 'POST', body: '{}', headers: old })).status).toBe(401)

    const { json } = await service.v1('POST', '/collection', { body: { title: 'Sóng' } })
    expect(await deliverDue(service)).toBe(1)
    const where = { event: { collectionId: json.collection_id } }
    const delivery = await service.services.db.webhookDelivery.findFirstOrThrow({ where, include: { event: true } })
    expect(delivery).toMatchObject({ state: 'delivered', attemptCount: 1 })
    receiver.kill()
    const [eventId, type, ...rest] = (await new Response(receiver.stdout).text()).trim().split(' ')
    expect([eventId, type]).toEqual([delivery.eventId, 'collection.created'])
    expect(JSON.parse(rest.join(' '))).toEqual(delivery.event.data)
  } finally {
    receiver.kill()
    await receiver.exited
  }
})
