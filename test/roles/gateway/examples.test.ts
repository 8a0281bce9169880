// The examples of the console, run in an organization as it is after a first upload.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getOperationAST, parse } from 'graphql'
import { fillIn, parseExample } from '../../../src/web/graphiql/example.ts'
import { signIn } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const folder = join(import.meta.dir, '../../../src/web/graphiql/examples')
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.graphql'))
  .sort()

/** Their values cannot be known in advance: a key to revoke, and sessions, whose ids are credentials. */
const INCOMPLETE = ['access-revoke-key.graphql', 'playback-session.graphql', 'uploads-session.graphql']

let service: TestService
let token: string
let ids: Parameters<typeof fillIn>[1]
beforeAll(async () => {
  service = await startTestService()
  const { id } = await processed(service, await tone(1), 'tone.wav')
  ids = { organizationId: service.demo.organization_id, collectionId: service.demo.collection_id, trackId: id }
  ;({ token } = await signIn(service))
}, 60_000)
afterAll(() => service.stop())

test('every complete example runs as it is', async () => {
  const failures: Record<string, string> = {}
  // The webhook is set before it is tested.
  const ordered = [...names.filter((name) => name !== 'events-webhook-test.graphql'), 'events-webhook-test.graphql']
  expect([...ordered].sort()).toEqual(names)
  for (const name of ordered) {
    const { query, variables } = parseExample(readFileSync(join(folder, name), 'utf8'))
    const type = getOperationAST(parse(query))?.operation
    if (type === 'subscription') continue
    const { errors } = await service.graphql(query, JSON.parse(fillIn(variables, ids) || '{}'), token)
    if (errors) failures[name] = errors[0].message
    // Files that are being rebuilt cannot be changed.
    else if (type === 'mutation') await service.runJobs()
  }
  expect(Object.keys(failures)).toEqual(INCOMPLETE)
  // These say what is missing.
  for (const message of Object.values(failures)) expect(message).toMatch(/UUID|does not exist/)
}, 60_000)
