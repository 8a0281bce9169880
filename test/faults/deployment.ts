// Several processes of each role on one PostgreSQL and one storage.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Credentials } from '../../src/cli/first-start.ts'
import { startBucket } from '../support/bucket.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { replyNoContent, startReceiver } from '../support/receiver.ts'
import { bucketEnv } from '../support/storage.ts'
import { until } from '../support/until.ts'
import { startDatabase } from './database.ts'
import { cleanUp, createPlace, type Place, spawnMain } from './process.ts'

const SECRET = 'a-root-secret-for-tests-of-40-characters'
const START_TIMEOUT_MS = 60_000

export type Role = 'gateway' | 'edge' | 'worker'

/** One process of a deployment. */
export interface Member {
  roles: readonly Role[]
  place: Place
  /** Addresses of its roles. */
  gatewayUrl: string
  edgeUrl: string
  child: Bun.Subprocess
  output: () => Promise<string>
}

export type Deployment = Awaited<ReturnType<typeof startDeployment>>

interface Options {
  storage: 'file' | 's3'
  /** Roles of each process. Defaults to two gateways, two edges and two workers. */
  members?: readonly (readonly Role[])[]
  /** Milliseconds that the clocks of processes with a role are ahead: the first, and the others. */
  skewMs?: Partial<Record<Role, readonly [first: number, others: number]>>
  /** Whether gateways and edges reach the database through PgBouncer. */
  isPooled?: boolean
  /** A command in front of every process. */
  wrapper?: string[]
}

const TWO_OF_EACH: readonly (readonly Role[])[] = [['gateway'], ['gateway'], ['edge'], ['edge'], ['worker'], ['worker']]

export async function startDeployment(options: Options) {
  const { storage, members: memberRoles = TWO_OF_EACH, skewMs = {}, isPooled = false, wrapper = [] } = options
  const database = await startDatabase()
  const pooler = isPooled ? await startPgBouncer(database.url, { server_idle_timeout: '1' }) : null
  const bucket = storage === 's3' ? await startBucket() : null
  const first = await createPlace()
  const dataDir = join(first.folder, 'data')
  await mkdir(dataDir)
  const shared = {
    DATABASE_URL: database.url,
    SECRET,
    DATA_DIR: dataDir,
    DELIVERY_URL: 'http://{org_domain}',
    WEBHOOK_ALLOW_PRIVATE: 'on',
    WORKERS: '2',
    DELETED_FILES_KEPT_DAYS: '0',
    TMPDIR: first.env.TMPDIR ?? '',
    ...(bucket && bucketEnv(bucket)),
  }
  const places = [first]
  const members: Member[] = []

  const of = (role: Role) => members.filter(({ roles }) => roles.includes(role))

  async function startMember(roles: readonly Role[]): Promise<void> {
    const memberPlace = await createPlace()
    places.push(memberPlace)
    const { PORT = '', EDGE_PORT = '' } = memberPlace.env
    const [role = 'worker'] = roles
    const skew = skewMs[role]?.[of(role).length === 0 ? 0 : 1]
    const place = {
      folder: memberPlace.folder,
      env: {
        ...memberPlace.env,
        ...shared,
        PORT,
        EDGE_PORT,
        ROLES: roles.join(),
        ...(pooler && !roles.includes('worker') && { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url }),
        // The first one migrates the database and creates the demo.
        DEMO: members.length === 0 ? 'empty' : 'off',
        ...(skew !== undefined && { SKEW_MS: String(skew) }),
      },
    }
    const urls = { gatewayUrl: `http://127.0.0.1:${PORT}`, edgeUrl: `http://127.0.0.1:${EDGE_PORT}` }
    const member = { roles, place, ...urls, ...launch(place, wrapper) }
    members.push(member)
    await isReady(member)
  }

  /** Kills a member and starts it again with the same ports, without waiting until it is ready. */
  async function killAndRestart(member: Member): Promise<void> {
    member.child.kill('SIGKILL')
    await member.child.exited
    Object.assign(member, launch(member.place, wrapper))
  }

  /** Stops a member, and starts another in its place. @returns the exit status of the first */
  async function replace(member: Member): Promise<number> {
    member.child.kill('SIGTERM')
    const status = await member.child.exited
    Object.assign(member, launch(member.place, wrapper))
    await isReady(member)
    return status
  }

  for (const roles of memberRoles) await startMember(roles)
  const credentials: Credentials = await Bun.file(join(dataDir, 'credentials.json')).json()

  const webhooks = new Map<string, Set<string>>()
  const receiver = startReceiver(({ headers, body }) => {
    const { type, data } = JSON.parse(body)
    const id = headers['webhook-id'] ?? ''
    const what = [type, data.track_id, data.file?.id, data.status].join(' ')
    webhooks.set(id, (webhooks.get(id) ?? new Set()).add(what))
    return replyNoContent()
  })
  await setWebhook(members[0]?.gatewayUrl ?? '', credentials, receiver.at())

  const anyOf = (role: Role): Member => {
    const candidates = of(role)
    const candidate = candidates[Math.floor(Math.random() * candidates.length)]
    if (!candidate) throw new Error(`no ${role}`)
    return candidate
  }

  return {
    database,
    bucket,
    members,
    of,
    anyOf,
    startMember,
    killAndRestart,
    replace,
    credentials,
    /** A folder of a member as it sees it: it may have mounts of its own. */
    seenBy: ({ child }: Member, folder: string) => `/proc/${child.pid}/root${folder}`,
    storageFolder: join(dataDir, 'storage'),
    /** Scratch folder of all members. */
    scratch: shared.TMPDIR,
    webhooks,
    folders: () => places.map(({ folder }) => folder),
    stop: async () => {
      await receiver.stop()
      await cleanUp(...places)
      await bucket?.stop()
      await pooler?.stop()
      await database.stop()
    },
  }
}

function launch(place: Place, wrapper: string[]) {
  const { child, stdout, stderr } = spawnMain(place, ['start'], wrapper)
  return { child, output: async () => (await stdout()) + (await stderr()) }
}

/** Waits until a member can serve. A start that fails because the database is away is repeated, as a supervisor does. */
async function isReady(member: Member): Promise<void> {
  const { PORT } = member.place.env
  await until(`a process (${member.roles}) to be ready`, START_TIMEOUT_MS, async () => {
    if (member.child.exitCode !== null || member.child.signalCode !== null) {
      throw new Error(`a process (${member.roles}) ended: ${await member.output()}`)
    }
    return (await fetch(`http://127.0.0.1:${PORT}/health/ready`).catch(() => null))?.ok
  })
}

async function setWebhook(url: string, { admin }: Credentials, address: string): Promise<void> {
  const call = async (query: string, variables: object, token?: string) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const body = JSON.stringify({ query, variables })
    const { data, errors } = await (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).json()
    if (errors) throw new Error(JSON.stringify(errors))
    return data
  }
  const signIn =
    'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { token } }'
  const { token } = (await call(signIn, admin)).signIn
  await call('mutation ($url: String!) { updateWebhook(input: { url: $url }) { secret } }', { url: address }, token)
}
