// Invitations: links with which a person becomes an administrator.
import { afterEach, beforeAll, expect, test } from 'bun:test'
import { codeOf, data, hire, post, signIn, sql, whileLocked } from '../../support/administrators.ts'
import { runTask } from '../../support/jobs.ts'
import { type Answer, useTestService } from '../../support/service.ts'

const service = useTestService()
let owner: string
beforeAll(async () => {
  owner = (await signIn(service)).token
})
afterEach(async () => {
  service.clock.now = null
  await service.services.db.invitation.deleteMany()
})

const PASSWORD = 'a password that they chose'
const INVITE =
  'mutation ($input: CreateInvitationInput!) { createInvitation(input: $input) { invitation { id role } link } }'
const ACCEPT = `mutation ($token: String!, $name: String, $password: String!) {
  acceptInvitation(token: $token, name: $name, password: $password) { token administrator { id email name role } } }`

let people = 0
const newEmail = () => `invited-${++people}@example.com`
const tryInvite = (input: object, key = owner) =>
  post(service, INVITE, { input: { email: newEmail(), role: 'ADMIN', ...input } }, { key })
/** @returns the token of a new link, and the ID of the invitation */
async function invite(input: object = {}, key = owner) {
  const { json } = await tryInvite(input, key)
  const { link, invitation } = json.data.createInvitation
  return { token: new URL(link).hash.slice(1), link: link as string, id: invitation.id as string }
}
const accept = (token: string, input: object = {}) => post(service, ACCEPT, { token, password: PASSWORD, ...input })
const open = (token: string) =>
  post(service, 'query ($token: String!) { openInvitation(token: $token) { email role organizationName } }', { token })
const resultOf = (answer: Answer) => codeOf(answer) ?? 'accepted'

test('a person opens the link, sets name and password, and is signed in with the role of the invitation', async () => {
  const { token, link } = await invite({ email: 'New.Person@Example.com' })
  expect(link).toMatch(/^https?:\/\/[^#?]+\/studio\/invitation#[0-9A-Za-z]{43}$/)
  expect((await open(token)).json.data.openInvitation).toEqual({
    email: 'new.person@example.com',
    role: 'ADMIN',
    organizationName: 'Demo',
  })
  const { json } = await accept(token, { name: ' Ada ' })
  const { token: accessToken, administrator } = json.data.acceptInvitation
  expect(administrator).toMatchObject({ email: 'new.person@example.com', name: 'Ada', role: 'ADMIN' })
  expect((await data(service, '{ account { administrator { id } } }', {}, accessToken)).account.administrator.id).toBe(
    administrator.id,
  )
  await signIn(service, { email: 'new.person@example.com', password: PASSWORD })
  expect([codeOf(await open(token)), resultOf(await accept(token))]).toEqual(['expired', 'expired'])
})

test('of several uses of a link at once one succeeds', async () => {
  const { token } = await invite()
  const answers = await Promise.all([1, 2, 3].map(() => accept(token)))
  expect(answers.map(resultOf).sort()).toEqual(['accepted', 'expired', 'expired'])
})

test('only a hash of the token is stored, and no link is listed', async () => {
  const { token } = await invite()
  const { rows } = await sql(service, 'SELECT i::text AS stored FROM invitation i')
  expect(rows).toHaveLength(1)
  expect(rows[0].stored).not.toContain(token)
  const { invitations } = await data(service, '{ invitations { email role createdBy { email } } }', {}, owner)
  expect(invitations).toEqual([
    { email: `invited-${people}@example.com`, role: 'ADMIN', createdBy: { email: service.demo.admin.email } },
  ])
})

test.each([
  [undefined, 7],
  [1, 1],
  [30, 30],
])('a link for %p days expires after %d', async (validDays, days) => {
  const begin = new Date('2026-03-01T12:00:00Z')
  service.clock.now = begin
  const key = (await signIn(service)).token
  const { token } = await invite({ validDays }, key)
  service.clock.now = new Date(begin.getTime() + days * 86_400_000)
  expect([codeOf(await open(token)), resultOf(await accept(token))]).toEqual(['expired', 'expired'])
  service.clock.now = new Date(begin.getTime() + days * 86_400_000 - 1)
  expect(resultOf(await accept(token))).toBe('accepted')
})

test('housekeeping deletes expired invitations', async () => {
  await invite()
  await sql(
    service,
    "UPDATE invitation SET created_at = now() - interval '8 days', expires_at = now() - interval '1 day'",
  )
  const { id } = await invite()
  await runTask(service.services, 'forget_sessions')
  expect((await service.services.db.invitation.findMany()).map((row) => row.id)).toEqual([id])
})

test.each([0, 31])('refuses %d days', async (validDays) => {
  expect(codeOf(await tryInvite({ validDays }))).toBe('invalid_input')
})

test('a new invitation of an address replaces the earlier one', async () => {
  const email = newEmail()
  const [first, second] = [await invite({ email }), await invite({ email: email.toUpperCase() })]
  expect(resultOf(await accept(first.token))).toBe('expired')
  expect(resultOf(await accept(second.token))).toBe('accepted')
  expect(codeOf(await tryInvite({ email }))).toBe('email_taken')
})

test('a link whose address became that of an administrator in another way is refused', async () => {
  const person = await hire(service, owner, 'viewer')
  const { token, id } = await invite()
  await sql(service, 'UPDATE invitation SET email = $1 WHERE id = $2', [person.email, id])
  expect(resultOf(await accept(token))).toBe('email_taken')
})

test('a revoked link opens nothing, and is revoked once', async () => {
  const { token, id } = await invite()
  const REVOKE = 'mutation ($id: ID!) { revokeInvitation(id: $id) { revokedInvitation { id } } }'
  expect(resultOf(await post(service, REVOKE, { id }, { key: owner }))).toBe('accepted')
  expect([codeOf(await open(token)), resultOf(await accept(token))]).toEqual(['expired', 'expired'])
  expect(codeOf(await post(service, REVOKE, { id }, { key: owner }))).toBe('not_found')
})

test('a link needs a password of 12 to 1,024 characters, and outlives a refused one', async () => {
  const { token } = await invite()
  expect(resultOf(await accept(token, { password: 'x'.repeat(11) }))).toBe('invalid_input')
  expect(resultOf(await accept(token, { password: 'x'.repeat(1025) }))).toBe('invalid_input')
  expect(resultOf(await accept(token, { password: 'x'.repeat(12) }))).toBe('accepted')
})

test('an organization has at most 100 invitations', async () => {
  const { id } = await invite()
  await sql(
    service,
    `INSERT INTO invitation (id, organization_id, created_by_id, email, role, hash, expires_at)
     SELECT gen_random_uuid(), organization_id, created_by_id, n || '@example.com', role, lpad(to_hex(n), 64, '0'), expires_at
     FROM invitation, generate_series(1, 98) n WHERE id = $1`,
    [id],
  )
  expect(codeOf(await tryInvite({}))).toBeUndefined()
  expect(codeOf(await tryInvite({}))).toBe('limit_reached')
  expect(codeOf(await tryInvite({ email: '1@example.com' }))).toBeUndefined()
})

test.each([
  ['loses the role', { role: 'ADMIN' }],
  ['is disabled', { isDisabled: true }],
])('an invitation ends when its creator %s', async (_, input) => {
  const creator = await hire(service, owner, 'owner')
  const { token } = await invite({}, (await signIn(service, creator)).token)
  const UPDATE =
    'mutation ($id: ID!, $input: UpdateAdministratorInput!) { updateAdministrator(id: $id, input: $input) { administrator { id } } }'
  await data(service, UPDATE, { id: creator.id, input }, owner)
  expect(resultOf(await accept(token))).toBe('expired')
})

test('a creator who loses the role while inviting creates no invitation', async () => {
  const creator = await hire(service, owner, 'owner')
  const { token: key } = await signIn(service, creator)
  const organizationId = service.demo.organization_id
  const answer = await whileLocked(
    service,
    [
      ['SELECT 1 FROM organization WHERE id = $1 FOR NO KEY UPDATE', [organizationId]],
      ["UPDATE administrator SET role = 'admin' WHERE id = $1", [creator.id]],
    ],
    () => tryInvite({}, key),
    1,
  )
  expect(codeOf(answer)).toBe('forbidden')
  expect(await service.services.db.invitation.count()).toBe(0)
})
