// Managing administrators: permissions, effects, and the sessions that changes end.
import { beforeAll, describe, expect, test } from 'bun:test'
import { codeOf, data, hire, isAlive, type Person, post, signIn, trySignIn } from '../../../support/administrators.ts'
import { useTestService } from '../../../support/service.ts'

const service = useTestService()
let owner: string
beforeAll(async () => {
  owner = (await signIn(service)).token
})

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const FIELDS = 'id email role isDisabled lastSignInAt organizationId createdAt'
const CREATE = `mutation ($input: CreateAdministratorInput!) {
  createAdministrator(input: $input) { password administrator { ${FIELDS} } } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateAdministratorInput!) {
  updateAdministrator(id: $id, input: $input) { administrator { ${FIELDS} } } }`
const DELETE = `mutation ($id: ID!) { deleteAdministrator(id: $id) { deletedAdministrator { id email } } }`
const RESET = `mutation ($id: ID!) { resetAdministratorPassword(id: $id) { password administrator { id } } }`
const LIST = `query ($first: Int, $after: String, $last: Int) { administrators(first: $first, after: $after, last: $last) {
  totalCount pageInfo { hasNextPage endCursor } edges { node { ${FIELDS} } } } }`

const update = async (id: string, input: object) =>
  (await data(service, UPDATE, { id, input }, owner)).updateAdministrator.administrator
const tokenOf = async (person: Person) => (await signIn(service, person)).token as string

describe('permissions', () => {
  const changes: [name: string, query: string, variables: () => object][] = [
    ['createAdministrator', CREATE, () => ({ input: { email: 'x@example.com', role: 'VIEWER' } })],
    ['updateAdministrator', UPDATE, () => ({ id: UNKNOWN, input: { role: 'VIEWER' } })],
    ['deleteAdministrator', DELETE, () => ({ id: UNKNOWN })],
    ['resetAdministratorPassword', RESET, () => ({ id: UNKNOWN })],
  ]
  test.each(changes)('%s is allowed for owners only', async (_, query, variables) => {
    for (const role of ['admin', 'viewer'] as const) {
      const key = await tokenOf(await hire(service, owner, role))
      expect(codeOf(await post(service, query, variables(), { key })), role).toBe('forbidden')
    }
    expect(codeOf(await post(service, query, variables(), { key: service.demo.api_key }))).toBe('forbidden')
    expect(codeOf(await post(service, query, variables()))).toBe('unauthenticated')
    expect(['not_found', undefined]).toContain(codeOf(await post(service, query, variables(), { key: owner })))
  })

  test('administrators of any role list administrators, keys do not', async () => {
    for (const role of ['admin', 'viewer'] as const) {
      const key = await tokenOf(await hire(service, owner, role))
      expect((await data(service, LIST, {}, key)).administrators.totalCount).toBeGreaterThan(1)
    }
    expect(codeOf(await post(service, LIST, {}, { key: service.demo.api_key }))).toBe('forbidden')
    expect(codeOf(await post(service, LIST, {}))).toBe('unauthenticated')
  })

  test('an admin may do everything else, a viewer may only read', async () => {
    const make = 'mutation { createApiKey(input: { title: "x" }) { keyId } }'
    const admin = await tokenOf(await hire(service, owner, 'admin'))
    const viewer = await tokenOf(await hire(service, owner, 'viewer'))
    expect(codeOf(await post(service, make, {}, { key: admin }))).toBeUndefined()
    expect(codeOf(await post(service, make, {}, { key: viewer }))).toBe('forbidden')
    expect(codeOf(await post(service, '{ creators { totalCount } }', {}, { key: viewer }))).toBeUndefined()
  })

  test('does not find administrators of another organization', async () => {
    const { db } = service.services
    const other = await db.organization.create({ data: { name: 'Other', domain: 'x', signingSecrets: ['x'] } })
    const foreign = {
      organizationId: other.id,
      email: 'foreign@example.com',
      passwordHash: 'x',
      role: 'owner' as const,
    }
    const { id } = await db.administrator.create({ data: foreign })
    for (const query of [DELETE, RESET])
      expect(codeOf(await post(service, query, { id }, { key: owner }))).toBe('not_found')
    const change = { id, input: { role: 'VIEWER' } }
    expect(codeOf(await post(service, UPDATE, change, { key: owner }))).toBe('not_found')
    const listed = (await data(service, LIST, {}, owner)).administrators.edges
    expect(JSON.stringify(listed)).not.toContain('foreign@')
  })
})

describe('createAdministrator', () => {
  test('returns a working password, which is shown only once', async () => {
    const input = { email: ' New.Person@Example.com ', role: 'ADMIN' }
    const { createAdministrator: payload } = await data(service, CREATE, { input }, owner)
    expect(payload.administrator).toEqual({
      id: expect.any(String),
      email: 'new.person@example.com',
      role: 'ADMIN',
      isDisabled: false,
      lastSignInAt: null,
      organizationId: service.demo.organization_id,
      createdAt: expect.any(String),
    })
    expect(payload.password).toMatch(/^[0-9A-Za-z]{20}$/)
    const { administrator } = await signIn(service, { email: payload.administrator.email, password: payload.password })
    expect(administrator.lastSignInAt).not.toBeNull()
  })

  test('accepts an address once, in any case and under concurrency', async () => {
    const make = (email: string) => post(service, CREATE, { input: { email, role: 'VIEWER' } }, { key: owner })
    const answers = await Promise.all(['a@b.example', 'A@b.example', 'a@B.EXAMPLE', ' a@b.example'].map(make))
    expect(answers.map(codeOf).sort()).toEqual(['email_taken', 'email_taken', 'email_taken', undefined] as string[])
    expect(answers.map(({ json }) => json.errors?.[0].message).filter(Boolean)[0]).toStartWith('email: ')
  })

  test.each(['', 'no-address', 'a b@example.com', `${'x'.repeat(320)}@example.com`])(
    'refuses the email address %p',
    async (email) => {
      const answer = await post(service, CREATE, { input: { email, role: 'VIEWER' } }, { key: owner })
      expect(codeOf(answer)).toBe('invalid_input')
    },
  )

  test('no field contains a password or its hash', async () => {
    const { __type } = await data(service, '{ __type(name: "Administrator") { fields { name } } }', {}, owner)
    const names = __type.fields.map(({ name }: { name: string }) => name)
    expect(names).toContain('email')
    expect(names.filter((name: string) => /hash|password|session|refresh/i.test(name))).toEqual([])
  })
})

describe('removing access', () => {
  const losses: [what: string, from: 'owner' | 'admin', input: object][] = [
    ['access', 'admin', { isDisabled: true }],
    ['the role of owner', 'owner', { role: 'ADMIN' }],
    ['the role of admin', 'admin', { role: 'VIEWER' }],
  ]
  test.each(losses)('%s ends tokens and sessions at once', async (_, role, input) => {
    const person = await hire(service, owner, role)
    const { token, refreshToken } = await signIn(service, person)
    expect(await update(person.id, input)).toMatchObject(input)
    expect(await isAlive(service, token)).toBe(false)
    const refresh = 'mutation ($t: String!) { refreshSignIn(refreshToken: $t) { token } }'
    expect(codeOf(await post(service, refresh, { t: refreshToken }))).toBe('unauthenticated')
  })

  test('a new password ends sessions as well and invalidates the old one', async () => {
    const person = await hire(service, owner, 'viewer')
    const { token } = await signIn(service, person)
    const { resetAdministratorPassword: reset } = await data(service, RESET, { id: person.id }, owner)
    expect(await isAlive(service, token)).toBe(false)
    expect(codeOf(await trySignIn(service, person))).toBe('unauthenticated')
    await signIn(service, { email: person.email, password: reset.password })
  })

  test('deletes an administrator and frees their address', async () => {
    const person = await hire(service, owner, 'admin')
    const { token } = await signIn(service, person)
    const { deleteAdministrator: gone } = await data(service, DELETE, { id: person.id }, owner)
    expect(gone.deletedAdministrator).toEqual({ id: person.id, email: person.email })
    expect(await isAlive(service, token)).toBe(false)
    expect(codeOf(await trySignIn(service, person))).toBe('unauthenticated')
    expect(codeOf(await post(service, DELETE, { id: person.id }, { key: owner }))).toBe('not_found')
    await data(service, CREATE, { input: { email: person.email, role: 'VIEWER' } }, owner)
  })

  test('a promotion or a change without effect ends no session; an enabled administrator can sign in again', async () => {
    const person = await hire(service, owner, 'viewer')
    const { token } = await signIn(service, person)
    await update(person.id, { role: 'ADMIN', isDisabled: false })
    await update(person.id, {})
    expect(await isAlive(service, token)).toBe(true)
    await update(person.id, { isDisabled: true })
    expect(codeOf(await trySignIn(service, person))).toBe('unauthenticated')
    await update(person.id, { isDisabled: false })
    expect(await isAlive(service, token)).toBe(false)
    await signIn(service, person)
  })

  test('applies a lower role from the next request, regardless of the token', async () => {
    const person = await hire(service, owner, 'owner')
    const { token } = await signIn(service, person)
    await service.services.db.administrator.update({ where: { id: person.id }, data: { role: 'viewer' } })
    expect(codeOf(await post(service, DELETE, { id: UNKNOWN }, { key: token }))).toBe('forbidden')
  })
})

describe('the list', () => {
  test('lists administrators newest first, in pages, with the total count', async () => {
    const all = (await data(service, LIST, { first: 200 }, owner)).administrators
    expect(all.totalCount).toBe(all.edges.length)
    const times = all.edges.map(({ node }: { node: { createdAt: string } }) => node.createdAt)
    expect(times).toEqual([...times].sort().reverse())
    const first = (await data(service, LIST, { first: 2 }, owner)).administrators
    const next = (await data(service, LIST, { first: 2, after: first.pageInfo.endCursor }, owner)).administrators
    expect([...first.edges, ...next.edges]).toEqual(all.edges.slice(0, 4))
  })

  test.each([{ first: 0 }, { first: 201 }, { last: 201 }])('refuses the page %p', async (page) => {
    expect(codeOf(await post(service, LIST, page, { key: owner }))).toBe('invalid_input')
  })
})

test('viewer returns the administrator, also with the deprecated field names', async () => {
  const query = '{ viewer { ... on Administrator { id administratorId role organizationId email } } }'
  const { viewer } = await data(service, query, {}, owner)
  const { id } = viewer
  const { organization_id: organizationId } = service.demo
  expect(viewer).toEqual({ id, administratorId: id, role: 'OWNER', organizationId, email: 'admin@example.com' })
})
