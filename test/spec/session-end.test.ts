import { describe, expect, test } from 'bun:test'
import { type Json, useTestService } from '../support/service.ts'
import { makeKey, ok, refused } from './support.ts'

const service = useTestService()

interface Kind {
  name: string
  key: 'uploader' | 'player'
  path: string
  id: (answer: Json) => string
  expiresAt: (answer: Json) => string
  /** Requests of the session. */
  uses: (id: string) => [method: string, path: string, body?: object][]
}
const kinds: Kind[] = [
  {
    name: 'an upload session',
    key: 'uploader',
    path: '/upload_session',
    id: ({ upload_session_id }) => upload_session_id,
    expiresAt: ({ upload_session }) => upload_session.expires_at,
    uses: (id) => [
      ['GET', `/upload_session/${id}`],
      ['POST', `/upload/${id}/track`, { file_name: 'a.wav' }],
    ],
  },
  {
    name: 'a play session',
    key: 'player',
    path: '/play_session/collection',
    id: ({ play_session_id }) => play_session_id,
    expiresAt: ({ play_session }) => play_session.expires_at,
    uses: (id) => [['GET', `/play_session/${id}`]],
  },
]

describe.each(kinds)('contract 2: $name ends with its key', ({ key: kind, path, id, expiresAt, uses }) => {
  const open = async (key: string, body: object = {}) => {
    const sessionBody = { collection_id: service.demo.collection_id, expires_in: 3600, ...body }
    return ok(await service.v1('POST', path, { key, body: sessionBody }))
  }
  const each = (session: string, check: (answer: Awaited<ReturnType<typeof service.v1>>) => unknown) =>
    Promise.all(
      uses(session).map(async ([method, at, body]) => check(await service.v1(method, at, { key: null, body }))),
    )

  test('which expires', async () => {
    const end = new Date(Date.now() + 1_800_000)
    const key = await makeKey(service, kind, { expiresAt: end })
    const shorter = await open(key, { expires_in: 60 })
    const session = await open(key)
    expect(new Date(expiresAt(session))).toEqual(end)
    expect(new Date(expiresAt(shorter)).getTime()).toBeLessThan(end.getTime())
    try {
      service.clock.now = new Date(end.getTime() - 1000)
      await each(id(session), ok)
      service.clock.now = end
      await each(id(session), (answer) => refused(answer, 410, 'expired'))
    } finally {
      service.clock.now = null
    }
  })

  test('which is about to expire', async () => {
    const key = await makeKey(service, kind, { expiresAt: new Date(Date.now() + 20_000) })
    await each(id(await open(key)), ok)
  })

  test('which is revoked', async () => {
    const key = await makeKey(service, kind)
    const other = await makeKey(service, kind)
    const [session, spared] = [id(await open(key)), id(await open(other))]
    await each(session, ok)
    const { id: keyId } = await service.services.db.apiKey.findFirstOrThrow({
      where: { kind },
      orderBy: { id: 'desc' },
      skip: 1,
    })
    await service.services.db.apiKey.update({ where: { id: keyId }, data: { revokedAt: new Date() } })
    await each(session, (answer) => refused(answer, 410, 'expired'))
    await each(spared, ok)
  })
})
