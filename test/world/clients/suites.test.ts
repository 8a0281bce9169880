// Linters, generators and verifiers of others, with their defaults.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildClient } from '../../../.config/client.ts'
import { root } from '../../../.config/once.ts'
import { cleanUp, createPlace, type Place, type ServiceProcess, startProcess } from '../../faults/process.ts'
import { until } from '../../support/until.ts'
import { FOLDER, findCommand, installPackages, run, succeed } from './packages.ts'

const project = join(FOLDER, 'suites')
let place: Place
let service: ServiceProcess
beforeAll(async () => {
  await installPackages()
  rmSync(project, { recursive: true, force: true })
  mkdirSync(project, { recursive: true })
  place = await createPlace({ WEBHOOK_ALLOW_PRIVATE: 'on' })
  service = await startProcess(place)
  await Bun.write(join(project, 'openapi.json'), await (await fetch(`${service.url}/openapi.json`)).text())
  writeFileSync(join(project, 'schema.graphql'), readFileSync(join(root, 'src/roles/gateway/schema.graphql')))
  writeFileSync(join(project, 'package.json'), '{"type": "module"}')
}, 300_000)
afterAll(() => cleanUp(place))

/** Checks generated sources with TypeScript 5.9, strict. */
const compile = (...paths: string[]) => {
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'ES2023', '--module', 'ESNext']
  const lib = ['--moduleResolution', 'bundler', '--lib', 'ES2023,DOM,DOM.Iterable,DOM.AsyncIterable']
  return succeed([findCommand('tsc'), ...options, ...lib, ...paths], { cwd: project })
}

describe('the OpenAPI document', () => {
  test('has no errors for Redocly', async () => {
    const { stdout, stderr, exitCode } = await run(
      [findCommand('redocly'), 'lint', 'openapi.json', '--extends=recommended', '--format=json'],
      { cwd: project, env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
    )
    expect([exitCode, exitCode === 0 ? '' : stdout + stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout).totals.errors).toBe(0)
  }, 120_000)

  test('has no errors for Spectral', async () => {
    writeFileSync(join(project, 'spectral.yaml'), 'extends: ["spectral:oas"]\n')
    const lint = ['lint', 'openapi.json', '--ruleset', 'spectral.yaml', '--format', 'json', '--fail-severity', 'error']
    const output = await succeed([findCommand('spectral'), ...lint, '--quiet'], { cwd: project })
    const errors = JSON.parse(output).filter(({ severity }: { severity: number }) => severity === 0)
    expect(errors).toEqual([])
  }, 120_000)

  test('openapi-typescript generates types that compile', async () => {
    await succeed([findCommand('openapi-typescript'), 'openapi.json', '-o', 'rest.ts'], { cwd: project })
    await compile('rest.ts')
    expect(readFileSync(join(project, 'rest.ts'), 'utf8')).toContain('followUploadSession')
  }, 120_000)

  test('hey-api generates a client that compiles', async () => {
    await succeed([findCommand('openapi-ts'), '-i', 'openapi.json', '-o', 'hey'], { cwd: project })
    await compile('hey/index.ts')
    expect(readFileSync(join(project, 'hey/sdk.gen.ts'), 'utf8')).toContain('createUploadSession')
  }, 120_000)
})

test('orval generates a client that compiles', async () => {
  const output = { target: 'orval/client.ts', client: 'fetch', mode: 'single' }
  // It writes one body for an operation: covers are also taken as the file of a form.
  const override = { contentType: { exclude: ['multipart/form-data'] } }
  const config = { tonearm: { input: 'openapi.json', output: { ...output, override } } }
  writeFileSync(join(project, 'orval.config.js'), `export default ${JSON.stringify(config)}\n`)
  await succeed([findCommand('orval'), '--config', 'orval.config.js'], { cwd: project })
  await compile('orval/client.ts')
  expect(readFileSync(join(project, 'orval/client.ts'), 'utf8')).toContain('createUploadSession')
}, 120_000)

test('the client preset of GraphQL Code Generator generates documents that compile', async () => {
  writeFileSync(
    join(project, 'page.ts'),
    `import { graphql } from './gql/index.js'
export const page = graphql(\`query Page($id: ID!) { node(id: $id) { id ... on Track { files { url } collection { title } } } }\`)
export const changes = graphql(\`subscription Changes($id: ID!) { uploadSessionChanged(id: $id) { status progressPercent } }\`)
`,
  )
  const config = { schema: 'schema.graphql', documents: 'page.ts', generates: { './gql/': { preset: 'client' } } }
  writeFileSync(join(project, 'codegen.json'), JSON.stringify(config))
  await succeed([findCommand('graphql-codegen'), '--config', 'codegen.json'], { cwd: project })
  await compile('page.ts')
}, 120_000)

describe('the npm package', () => {
  const folder = join(FOLDER, 'package')
  beforeAll(() => {
    rmSync(folder, { recursive: true, force: true })
    buildClient(folder)
  })

  test('has no errors for publint', async () => {
    const { exitCode, stdout } = await run([findCommand('publint'), 'run', folder, '--pack', 'npm', '--strict'])
    expect([exitCode, exitCode === 0 ? '' : stdout]).toEqual([0, ''])
  }, 60_000)

  test('has the right types for arethetypeswrong', async () => {
    await succeed(['npm', 'pack', '--silent'], { cwd: folder })
    const [packed = ''] = new Bun.Glob('*.tgz').scanSync(folder)
    const { exitCode, stdout } = await run([findCommand('attw'), join(folder, packed), '--profile', 'esm-only'])
    expect([exitCode, exitCode === 0 ? '' : stdout]).toEqual([0, ''])
  }, 60_000)
})

test('graphql-sse: a query, a subscription without a key, and a refusal of its other mode', async () => {
  const { api_key, collection_id } = service.credentials
  const env = { URL: `${service.url}/graphql`, BASE_URL: service.url, API_KEY: api_key, COLLECTION: collection_id }
  const output = await succeed([process.execPath, 'programs/sse.ts'], { env })
  expect(JSON.parse(output)).toEqual({ hasVersion: true, status: 'INITIALIZED', isRefused: true })
}, 60_000)

test('webhooks are verified by the libraries of Standard Webhooks and Svix', async () => {
  const received: { headers: Record<string, string>; body: string }[] = []
  const receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      received.push({ headers: Object.fromEntries(request.headers), body: await request.text() })
      return new Response(null, { status: 204 })
    },
  })
  const send = async (query: string, variables: object, token?: string) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const init = { method: 'POST', headers, body: JSON.stringify({ query, variables }) }
    const { data, errors } = await (await fetch(`${service.url}/graphql`, init)).json()
    expect(errors).toBeUndefined()
    return data
  }
  const signIn =
    'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { token } }'
  const { token } = (await send(signIn, service.credentials.admin)).signIn
  const create =
    'mutation ($url: String!) { createWebhookEndpoint(input: { url: $url }) { secret webhookEndpoint { id } } }'
  const { secret, webhookEndpoint } = (await send(create, { url: receiver.url.href }, token)).createWebhookEndpoint
  await send(
    'mutation ($id: ID!) { sendTestWebhook(endpointId: $id) { __typename } }',
    { id: webhookEndpoint.id },
    token,
  )
  await until('the webhook', 20_000, async () => received.length > 0)
  await receiver.stop(true)
  const path = join(project, 'received.json')
  writeFileSync(path, JSON.stringify({ secret, ...received[0] }))
  const output = await succeed([process.execPath, 'programs/webhooks.ts'], { env: { RECEIVED: path } })
  // The same, another body, another ID.
  expect(JSON.parse(output)).toEqual(Array(2).fill([true, false, false]))
}, 60_000)

test('the inspector of the Model Context Protocol lists and calls the tools', async () => {
  const inspect = (...args: string[]) => {
    const target = ['--cli', `${service.url}/mcp`, '--transport', 'http']
    const header = ['--header', `Authorization: Bearer ${service.credentials.api_key}`]
    return succeed([findCommand('mcp-inspector'), ...target, ...header, ...args])
  }
  const { tools } = JSON.parse(await inspect('--method', 'tools/list'))
  expect(tools.map(({ name }: { name: string }) => name)).toContain('find_tracks')
  const call = [
    '--method',
    'tools/call',
    '--tool-name',
    'create_collection',
    '--tool-arg',
    'input={"title":"Inspected"}',
  ]
  expect(JSON.parse(await inspect(...call)).structuredContent.createCollection.collection.title).toBe('Inspected')
}, 60_000)
