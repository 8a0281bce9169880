import { beforeAll, describe, expect, test } from 'bun:test'
import { schema } from '../../src/roles/gateway/schema.ts'
import { codeOf, post } from '../support/administrators.ts'
import { useTestService } from '../support/service.ts'
import { everyViewer, viewerNames } from '../support/viewers.ts'
import { createFixtures, type Fixtures, type Operation } from './operations.ts'
import { operations } from './table.ts'

const service = useTestService()
let viewers: Awaited<ReturnType<typeof everyViewer>>
let fixtures: Fixtures

beforeAll(async () => {
  viewers = await everyViewer(service)
  fixtures = await createFixtures(service, viewers.holdings)
})

const letters: Record<string, string> = { unauthenticated: 'u', forbidden: 'f', not_found: 'n' }

async function tried({ kind, text, beyond = [] }: Operation, key: string | null): Promise<string> {
  const answer = await post(service, `${kind} { ${await text(fixtures)} }`, {}, { key })
  const code = codeOf(answer)
  if (code === undefined || beyond.includes(code)) return 'o'
  return letters[code] ?? `(${code}: ${answer.text})`
}

describe('every operation against every kind of viewer', () => {
  test.each(operations.map((operation) => [`${operation.field} ${operation.way ?? ''}`.trim(), operation] as const))(
    '%s',
    async (_, operation) => {
      const outcomes: string[] = []
      for (const name of viewerNames) outcomes.push(await tried(operation, viewers.credentials[name]))
      const differing = viewerNames.flatMap((name, place) =>
        outcomes[place] === operation.may[place]
          ? []
          : [`${name}: ${outcomes[place]} instead of ${operation.may[place]}`],
      )
      expect(differing).toEqual([])
    },
  )
})

/** No argument accepts a text of this length. */
const invalid = JSON.stringify('x'.repeat(70_000))

test('an operation that a viewer may never use is refused without a look at its arguments', async () => {
  const differing: string[] = []
  // Whether it is a key of kind api, its record shows.
  for (const operation of operations.filter(({ way }) => way !== 'an api key')) {
    const text = (await operation.text(fixtures)).replace(/"[^"]*"/g, invalid)
    for (const [place, name] of viewerNames.entries()) {
      if (operation.may[place] !== 'f') continue
      const code = codeOf(await post(service, `${operation.kind} { ${text} }`, {}, { key: viewers.credentials[name] }))
      if (code !== 'forbidden') differing.push(`${operation.field}, ${name}: ${code}`)
    }
  }
  expect(differing).toEqual([])
})

/** Signing in is how one becomes a viewer; what ends one's own session is tested with it. */
const elsewhere = [
  'signIn',
  'preparePasskeySignIn',
  'signInWithPasskey',
  'refreshSignIn',
  'signOut',
  'signOutEverywhere',
]

test('no operation is missing', () => {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  )
  const knownFields = new Set([...operations.map(({ field }) => field), ...elsewhere])
  expect(fields.filter((field) => !knownFields.has(field))).toEqual([])
  expect([...knownFields].filter((field) => !fields.includes(field))).toEqual([])
})
