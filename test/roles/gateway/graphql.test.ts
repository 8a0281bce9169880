import { describe, expect, test } from 'bun:test'
import { type Json, startTestService, useTestService } from '../../support/service.ts'

const service = useTestService()

const codeOf = (answer: Json): string => answer.errors[0].extensions.code
/** No valid operation is that deep yet. The limit is checked before the fields. */
const deep = (levels: number): string => (levels === 1 ? 'id' : `x { ${deep(levels - 1)} }`)

describe('limits of an operation (operating.md, GraphQL)', () => {
  const aliases = (count: number) =>
    `{ ${Array.from({ length: count }, (_, i) => `a${i}: viewer { __typename }`).join(' ')} }`

  test('30 aliases are executed, 31 are rejected', async () => {
    expect((await service.graphql(aliases(30))).errors).toBeUndefined()
    expect(codeOf(await service.graphql(aliases(31)))).toBe('invalid_input')
  })

  test('2,000 tokens are executed, more are rejected', async () => {
    // Three tokens a pair; those around them are 19.
    const pairs = (count: number) => Array.from({ length: count }, (_, i) => `k${i}: 1`).join(' ')
    const create = (index: string, count: number) =>
      `mutation { createCreator(input: { organizationIndex: "${index}" metadata: { ${pairs(count)} } }) { creator { id } } }`
    const inside = await service.graphql(create('tokens', 655))
    expect(inside.errors).toBeUndefined()
    expect(codeOf(await service.graphql(create('more', 670)))).toBe('invalid_input')
    await service.graphql(
      `mutation { deleteCreator(id: "${inside.data.createCreator.creator.id}") { deletedCreator { id } } }`,
    )
    await service.services.db.creator.deleteMany()
  })

  test('15 levels are executed, 16 are rejected', async () => {
    const complaint = async (levels: number) =>
      JSON.stringify((await service.graphql(`{ ${deep(levels)} }`)).errors).match(/depth limit of 15/i)
    expect(await complaint(15)).toBeNull()
    expect(await complaint(16)).not.toBeNull()
  })
})

describe('a request that a foreign page can send without a preflight is not executed', () => {
  const mutation = 'mutation { createCreator(input: { organizationIndex: "forged" }) { creator { id } } }'
  const forms: [type: string, body: string][] = [
    ['application/x-www-form-urlencoded', `query=${encodeURIComponent(mutation)}`],
    ['text/plain', JSON.stringify({ query: mutation })],
    [
      'multipart/form-data; boundary=x',
      `--x\r\nContent-Disposition: form-data; name="query"\r\n\r\n${mutation}\r\n--x--`,
    ],
  ]
  test.each(forms)('%s', async (type, body) => {
    const answer = await service.request('POST', '/graphql', { body, headers: { 'content-type': type } })
    expect(answer.status).toBe(415)
    expect(await service.services.db.creator.count()).toBe(0)
  })

  test('a mutation by GET', async () => {
    const answer = await service.request('GET', `/graphql?query=${encodeURIComponent(mutation)}`)
    expect(answer.status).toBe(405)
    expect(await service.services.db.creator.count()).toBe(0)
  })
})

describe('the viewer', () => {
  const viewer = '{ viewer { __typename ... on KeyViewer { kind } ... on Administrator { role } } }'

  test('an anonymous client, a key, and a signed-in administrator', async () => {
    const { email, password } = service.demo.admin
    expect((await service.graphql(viewer, {}, null)).data.viewer).toBeNull()
    expect((await service.graphql(viewer)).data.viewer).toEqual({ __typename: 'KeyViewer', kind: 'API' })
    const signIn =
      'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { token } }'
    const { data } = await service.graphql(signIn, { email: email.toUpperCase(), password }, null)
    const seen = await service.graphql(viewer, {}, data.signIn.token)
    expect(seen.data.viewer).toEqual({ __typename: 'Administrator', role: 'OWNER' })

    const wrong = await service.graphql(signIn, { email, password: `${password}x` }, null)
    expect(codeOf(wrong)).toBe('unauthenticated')
    service.clock.now = new Date(Date.now() + 3_601_000)
    const late = await service.request('POST', '/graphql', { body: { query: viewer }, key: data.signIn.token })
    service.clock.now = null
    expect([late.status, codeOf(late.json)]).toEqual([401, 'unauthenticated'])
  })

  test('an invalid key is rejected, not treated as anonymous', async () => {
    const answer = await service.request('POST', '/graphql', { body: { query: viewer }, key: 'nonsense' })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  test('only administrators create api keys; a share key needs one known variant', async () => {
    const create = 'mutation { createApiKey(input: { title: "x" }) { key } }'
    expect(codeOf(await service.graphql(create))).toBe('forbidden')
    expect(codeOf(await service.graphql(create, {}, null))).toBe('unauthenticated')
    const share = (variant: string) =>
      `mutation { createShareKey(input: { title: "x", variant: "${variant}" }) { key } }`
    expect((await service.graphql(share('lq'))).data.createShareKey.key).toMatch(/^[0-9a-f]{32}_share_[0-9A-Za-z]{49}$/)
    expect(codeOf(await service.graphql(share('nothing')))).toBe('not_found')
  })
})

test('an unexpected error is `internal`, without its cause', async () => {
  const broken = await startTestService()
  await broken.services.pool.query('DROP TABLE creator CASCADE')
  const answer = await broken.graphql('{ creators { edges { node { id } } } }')
  expect(answer.errors[0]).toMatchObject({
    message: 'Something went wrong on our side.',
    extensions: { code: 'internal' },
  })
  expect(JSON.stringify(answer)).not.toMatch(/creator\b.*(exist|relation)/i)
  await broken.stop()
})
