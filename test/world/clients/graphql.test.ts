// Conformance suites and clients of GraphQL, with their defaults.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cleanUp, createPlace, type Place, type ServiceProcess, startProcess } from '../../faults/process.ts'
import { installPackages, succeed } from './packages.ts'

let place: Place
let service: ServiceProcess
beforeAll(async () => {
  await installPackages()
  place = await createPlace()
  service = await startProcess(place)
}, 300_000)
afterAll(() => cleanUp(place))

const runProgram = (name: string, env: Record<string, string> = {}) =>
  succeed([process.execPath, `programs/${name}.ts`], {
    env: { URL: `${service.url}/graphql`, API_KEY: service.credentials.api_key, ...env },
  })

describe('GraphQL over HTTP (graphql-http): every MUST and SHOULD', () => {
  /** Audits of MAY that the service does otherwise: status 400 for an `operationName` that is no text, in JSON. */
  const notices = ['6C00', '6C01', '6C02', '6C03']

  test.each(['with a key', 'without a key'])('%s', async (which) => {
    const output = await runProgram('audits', which === 'without a key' ? { API_KEY: '' } : {})
    const audits = output
      .trim()
      .split('\n')
      .map((line) => line.split('\t'))
    expect(audits.length).toBeGreaterThan(60)
    const others = audits.filter(([status]) => status !== 'ok')
    expect(others.filter(([status]) => status !== 'notice')).toEqual([])
    expect(others.map(([, id]) => id)).toEqual(notices)
  })
})

test('urql: queries by GET, pages, a mutation and its error', async () => {
  expect(JSON.parse(await runProgram('urql'))).toEqual({
    methods: ['GET', 'GET', 'POST', 'POST'],
    errors: [null, null, null],
    pages: [1, 1],
    isNext: true,
    code: 'organization_index_taken',
  })
})

test('Apollo Client: by POST, by GET, and persisted queries by GET', async () => {
  expect(JSON.parse(await runProgram('apollo'))).toEqual({
    defaults: { methods: ['POST'], count: 1 },
    useGETForQueries: { methods: ['GET'], count: 1 },
    persisted: { methods: ['GET', 'POST'], count: 1 },
  })
})
