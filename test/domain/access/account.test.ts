// The own account: name and sessions.
import { beforeAll, expect, test } from 'bun:test'
import { codeOf, data, hire, isAlive, post, signIn } from '../../support/administrators.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
let owner: string
beforeAll(async () => {
  owner = (await signIn(service)).token
})

const SESSIONS = '{ account { sessions { id address isCurrent } } }'
const listSessions = async (token: string) => (await data(service, SESSIONS, {}, token)).account.sessions
const END = 'mutation ($id: ID!) { endSignInSession(id: $id) { endedSessions } }'

test('a person ends one of their sessions, and none of others', async () => {
  const person = await hire(service, owner, 'viewer')
  const [here, there] = [await signIn(service, person), await signIn(service, person)]
  const sessions = await listSessions(here.token)
  expect(sessions.map(({ isCurrent }: { isCurrent: boolean }) => isCurrent).sort()).toEqual([false, true])
  const { id } = sessions.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
  expect(codeOf(await post(service, END, { id }, { key: owner }))).toBe('not_found')
  expect(await isAlive(service, there.token)).toBe(true)
  await data(service, END, { id }, here.token)
  expect([await isAlive(service, here.token), await isAlive(service, there.token)]).toEqual([true, false])
  expect(await listSessions(here.token)).toHaveLength(1)
  expect(codeOf(await post(service, END, { id }, { key: here.token }))).toBe('not_found')
})

test('a person sets a name of at most 200 characters, and removes it', async () => {
  const person = await hire(service, owner, 'viewer')
  const { token } = await signIn(service, person)
  const RENAME = 'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { administrator { name } } }'
  const rename = async (input: object) => {
    const answer = await post(service, RENAME, { input }, { key: token })
    return codeOf(answer) ?? answer.json.data.updateAccount.administrator.name
  }
  expect(await rename({ name: ` ${'x'.repeat(198)} ` })).toBe('x'.repeat(198))
  expect(await rename({ name: 'x'.repeat(201) })).toBe('invalid_input')
  expect(await rename({})).toBe('x'.repeat(198))
  expect(await rename({ name: null })).toBeNull()
})
