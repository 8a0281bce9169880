// An organization always has an enabled owner, also under concurrent changes.
import { afterAll, describe, expect, test } from 'bun:test'
import { codeOf, hire, post, signIn } from '../../../support/administrators.ts'
import { startTestService, type TestService } from '../../../support/service.ts'

const service: TestService = await startTestService()
afterAll(() => service.stop())
const { db } = service.services

const first = await signIn(service)
const firstId: string = first.administrator.id
const owners = () => db.administrator.count({ where: { role: 'owner', disabledAt: null } })

const changes: [what: string, query: string][] = [
  ['demoted', 'mutation ($id: ID!) { updateAdministrator(id: $id, input: { role: ADMIN }) { administrator { id } } }'],
  [
    'disabled',
    'mutation ($id: ID!) { updateAdministrator(id: $id, input: { isDisabled: true }) { administrator { id } } }',
  ],
  ['deleted', 'mutation ($id: ID!) { deleteAdministrator(id: $id) { deletedAdministrator { id } } }'],
]

describe('the last owner', () => {
  test.each(changes)('cannot be %s, and remains unchanged', async (_, query) => {
    const answer = await post(service, query, { id: firstId }, { key: first.token })
    expect(codeOf(answer)).toBe('last_owner')
    expect(await owners()).toBe(1)
    expect(await db.signInSession.count({ where: { revokedAt: { not: null } } })).toBe(0)
  })

  test('counts as the last if the other owner is disabled', async () => {
    const other = await hire(service, first.token, 'owner')
    await db.administrator.update({ where: { id: other.id }, data: { disabledAt: new Date() } })
    expect(codeOf(await post(service, changes[2]?.[1] ?? '', { id: firstId }, { key: first.token }))).toBe('last_owner')
    await db.administrator.delete({ where: { id: other.id } })
  })
})

describe('two owners, 50 concurrent changes', () => {
  test.each(changes)('one owner remains when both are %s', async (_, query) => {
    const second = await hire(service, first.token, 'owner')
    const tokens = [first.token, (await signIn(service, second)).token]
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        post(service, query, { id: i % 2 === 0 ? firstId : second.id }, { key: tokens[(i >> 1) % 2] }),
      ),
    )
    expect(await owners()).toBe(1)
    expect(answers.filter((answer) => codeOf(answer) === undefined).length).toBeGreaterThan(0)
    const words = new Set(answers.map(codeOf))
    for (const word of words)
      expect([undefined, 'last_owner', 'not_found', 'forbidden', 'unauthenticated']).toContain(word)
    await restore()
  })
})

/** Makes the first administrator of the demo the only owner again. */
async function restore() {
  const { email } = service.demo.admin
  const lost = await db.administrator.findUnique({ where: { email } })
  if (lost) {
    await db.administrator.update({ where: { id: lost.id }, data: { role: 'owner', disabledAt: null } })
  } else {
    const passwordHash = await Bun.password.hash(service.demo.admin.password)
    const organizationId = service.demo.organization_id
    await db.administrator.create({ data: { id: firstId, organizationId, email, passwordHash, role: 'owner' } })
  }
  await db.administrator.deleteMany({ where: { email: { not: email } } })
  Object.assign(first, await signIn(service))
}
