import { afterAll, beforeAll } from 'bun:test'
import { EventEmitter } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JobHelpers, Logger, runOnce, type WorkerEvents } from 'graphile-worker'
import type { Pool } from 'pg'
import { type Credentials, makeDemo } from '../../src/cli/first-start.ts'
import { statementTimeoutMs } from '../../src/cli/services.ts'
import { loadConfig } from '../../src/config.ts'
import type { Services } from '../../src/platform/context.ts'
import { type DatabaseOptions, GRAPHQL_CONNECTIONS, openDatabase } from '../../src/platform/db/client.ts'
import type { Connection } from '../../src/platform/db/connection.ts'
import { createNotifications } from '../../src/platform/db/notify.ts'
import { observePool } from '../../src/platform/db/observe-pool.ts'
import { createReader } from '../../src/platform/db/query/reader.ts'
import { createTokenIssuer } from '../../src/platform/identity/oidc.ts'
import { createSigning } from '../../src/platform/identity/signing.ts'
import { createTokenKeys } from '../../src/platform/identity/token-keys.ts'
import { createLog } from '../../src/platform/log.ts'
import { findTools, type Tools } from '../../src/platform/media/ffmpeg/run.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { createTracing } from '../../src/platform/tracing/create.ts'
import { createEdge } from '../../src/roles/edge/app.ts'
import { createGateway } from '../../src/roles/gateway/app.ts'
import { runTask } from '../../src/roles/worker/run.ts'
import { tasks } from '../../src/roles/worker/tasks.ts'
import { checkDocumented } from './documented.ts'
import { cloneDatabase, keepDatabase } from './postgres.ts'
import { readEntries } from './queue.ts'
import { createTestStorage } from './storage.ts'
import { serviceTools } from './tools.ts'
import { until } from './until.ts'

export const SECRET = 'a-root-secret-for-tests-of-40-characters'

// biome-ignore lint/suspicious/noExplicitAny: tests check answers field by field
export type Json = any

export interface Answer {
  status: number
  headers: Headers
  /** Parsed when the answer is JSON, else null. */
  json: Json
  text: string
  /** Method, path and body of the request; failures name it. */
  request?: string
}

export interface Call {
  body?: unknown
  /** A key; null for none. Defaults to the demo organization's api key. */
  key?: string | null
  headers?: Record<string, string>
}

export type TestService = Awaited<ReturnType<typeof serve>>

/**
 * A service for the tests of a file or of a `describe`: started before them, stopped after them. Hooks run in the order
 * of their calls: a `beforeAll` after this one finds the service started, and an `afterAll` before it finds it running.
 * @param env settings that differ from the defaults. Without any, the demo is copied from a database that has it, and no
 * credentials file is written.
 * @param tools defaults to `serviceTools`. Tests of sound give `soundTools`
 * @returns a service that may be used in hooks and tests only
 */
export function useTestService(env?: Record<string, string>, tools = serviceTools): TestService {
  const service = {} as TestService
  beforeAll(async () => {
    Object.assign(service, await (env ? startTestService(env, tools) : startFromTemplate(tools)))
  }, 60_000)
  afterAll(() => service.stop?.())
  return service
}

/**
 * Starts a complete service with its own database and storage: gateway and edge answer requests, `runJobs` runs jobs.
 * `clock.now` may be set.
 * @param env settings over the defaults
 * @param tools defaults to `serviceTools`. Tests of sound give `soundTools`
 */
export const startTestService = async (env: Record<string, string> = {}, tools = serviceTools) =>
  serve(env, await cloneDatabase(), { tools })

/**
 * Starts a service on an existing database, with a new and empty storage. The demo's credentials are those of `of`.
 * @param limits of its connections, over the defaults
 */
export const startServiceOn = (url: string, of: TestService, limits: DatabaseOptions = {}) =>
  serve({}, url, { credentials: structuredClone(of.demo), limits })

let template: Promise<{ name: string; demo: Credentials }> | undefined

/** Starts a service with default settings on a copy of a database that has the demo organization already. */
async function startFromTemplate(tools: Tools) {
  template ??= makeTemplate()
  const { name, demo } = await template
  return serve({}, await cloneDatabase(name), { credentials: structuredClone(demo), tools })
}

async function makeTemplate() {
  const { services, demo, stop } = await startTestService()
  // Closes the connections: a database in use cannot be copied.
  await stop()
  return { name: keepDatabase(services.pool.options.connectionString ?? ''), demo }
}

async function serve(
  env: Record<string, string>,
  url: string,
  {
    credentials,
    limits,
    tools = serviceTools,
  }: { credentials?: Credentials; limits?: DatabaseOptions; tools?: Tools } = {},
) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
  const stored = await createTestStorage(dataDir)
  const config = loadConfig({ LOG_LEVEL: 'silent', DEMO: 'empty', ...stored.env, ...env, DATA_DIR: dataDir, SECRET })
  const log = createLog(config.logLevel, 'json')
  const options = { statementTimeoutMs: statementTimeoutMs(config), idle: new Set<Connection>(), ...limits }
  const { db, pool, close } = openDatabase(url, log, options)
  const [metrics, tracing] = [createMetrics(), await createTracing(config.tracing, log)]
  const graphql = openDatabase(url, log, { ...options, max: GRAPHQL_CONNECTIONS })
  for (const { pool: opened } of [{ pool }, graphql]) observePool(opened, metrics, tracing)
  const clock: { now: Date | null } = { now: null }
  const now = () => clock.now ?? new Date()
  const signing = createSigning(SECRET)
  const reader = createReader(pool)
  const services: Services = {
    config,
    db,
    reader,
    lists: reader,
    graphql: { ...graphql, ...readersOf(graphql.pool) },
    replica: null,
    pool,
    direct: pool,
    notifications: createNotifications(pool.options, log),
    storage: stored.storage,
    signing,
    tokenKeys: createTokenKeys({ db, signing, clock: now, log }),
    oidc: config.oidc ? createTokenIssuer(config.oidc, now) : null,
    // A copy: some tests replace programs.
    tools: { ...(config.ffmpeg || config.ffprobe ? await findTools(config) : tools) },
    metrics,
    tracing,
    clock: now,
    log,
  }
  const demo = credentials ?? ((await makeDemo(services)) as Credentials)
  const gateway = createGateway(services)
  const edge = createEdge(services)

  async function request(method: string, path: string, { body, key = demo.api_key, headers = {} }: Call = {}) {
    const all = new Headers(headers)
    if (key !== null && !all.has('authorization')) all.set('authorization', `Bearer ${key}`)
    if (body !== undefined && !all.has('content-type')) all.set('content-type', 'application/json')
    const text = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body)
    const target = new Request(`${config.publicUrl}${path}`, { method, headers: all, body: text, redirect: 'manual' })
    const request = `${method} ${path} ${text?.slice(0, 300) ?? ''}`
    const answer = { ...(await toAnswer(await gateway(target))), request }
    if (path.startsWith('/v1/')) checkDocumented(method, path, answer)
    return answer
  }

  const requestEdge = (address: string | URL, init: RequestInit = {}): Promise<Response> | Response =>
    edge(new Request(new URL(address, config.edgeUrl).toString(), { redirect: 'manual', ...init }))

  /** A PUT to the bucket, and the notification that it sends. */
  async function putIntoBucket(address: URL, init: RequestInit): Promise<Response> {
    const answer = await fetch(address, init)
    const key = address.pathname.split('/').slice(2).join('/')
    const notified = await requestEdge('/upload/notification', {
      method: 'POST',
      headers: { authorization: `Bearer ${signing.notificationToken}` },
      body: JSON.stringify({ Records: [{ s3: { object: { key } } }] }),
    })
    if (!notified.ok) throw new Error(`notification: ${notified.status} ${await notified.text()}`)
    return answer
  }

  return {
    services,
    clock,
    demo,
    gateway,
    edge,
    dataDir,
    objects: stored.objects,
    /** A request to the gateway. */
    request,
    /** A request to a path under /v1. The answer is validated against the OpenAPI document. */
    v1: (method: string, path: string, call?: Call) => request(method, `/v1${path}`, call),
    /** A GraphQL operation; answers `{data, errors, extensions}`. */
    graphql: async (query: string, variables: object = {}, key: string | null = demo.api_key): Promise<Json> =>
      (await request('POST', '/graphql', { body: { query, variables }, key })).json,
    /** A request to an address of the edge, whole or as a path; or to an upload address of the bucket. */
    fetchEdge: async (address: string, init: RequestInit = {}) => {
      const url = new URL(address, config.edgeUrl)
      return url.origin === stored.origin ? putIntoBucket(url, init) : requestEdge(url, init)
    },
    /** Runs every job that is due, and those that they queue, until none is left. */
    runJobs: async () => {
      const events = new EventEmitter() as WorkerEvents
      let workerPoolId = ''
      events.once('pool:create', ({ workerPool }) => {
        workerPoolId = workerPool.id
      })
      await runOnce({
        events,
        pgPool: pool,
        noPreparedStatements: true,
        taskList: taskListOf(services),
        logger: new Logger(() => () => {}),
      })
      // The library does not wait until it has removed the entries.
      await until('the entries of ended jobs to be removed', 20_000, async () => {
        return (await readEntries(pool, { lockedBy: workerPoolId })).length === 0
      })
    },
    stop: async () => {
      await services.notifications.end()
      await close()
      await graphql.close()
      await tracing.end()
      await stored.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

function readersOf(pool: Pool) {
  const reader = createReader(pool)
  return { reader, lists: reader }
}

function taskListOf(services: Services) {
  const signal = new AbortController().signal
  return Object.fromEntries(
    tasks.map((task) => [
      task.definition.name,
      async (payload: unknown, { job }: JobHelpers) => {
        const entry = { id: job.id, lockedBy: job.locked_by }
        await runTask(services, task, payload, { signal, attempt: job.attempts, entry })
      },
    ]),
  )
}

/** A stream of /v1 does not end on its own. */
async function readFirstChunk({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const chunk = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(chunk?.value)
}

export async function toAnswer(response: Response): Promise<Answer> {
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  const text = await (isStream ? readFirstChunk(response) : response.text())
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : null,
  }
}

/** Creates a track in the demo collection and uploads `bytes` as its recording; processing is left to `runJobs`. */
export async function uploadTrack(
  service: TestService,
  bytes: Uint8Array<ArrayBuffer>,
  fileName = 'song.wav',
): Promise<string> {
  const created = await service.v1('POST', '/track', {
    body: { collection_id: service.demo.collection_id, file_name: fileName },
  })
  const put = await service.fetchEdge(created.json.track_upload.upload_url, { method: 'PUT', body: new Blob([bytes]) })
  if (put.status !== 200) throw new Error(`upload: ${put.status} ${await put.text()}`)
  return created.json.track_id
}
