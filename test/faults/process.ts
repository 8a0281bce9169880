import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Credentials } from '../../src/cli/first-start.ts'
import { memoryEnv } from '../support/memory.ts'
import { lastingPort } from '../support/ports.ts'
import { until } from '../support/until.ts'

const MAIN = join(import.meta.dir, '../../src/main.ts')
const START_TIMEOUT_MS = 60_000

// biome-ignore lint/suspicious/noExplicitAny: tests check answers field by field
type Json = any

/** A service in its own process, which tests stop and kill. */
export interface ServiceProcess {
  pid: number
  url: string
  edgeUrl: string
  /** From spawning the process to its first 200 of /health/ready. */
  startMs: number
  credentials: Credentials
  output: () => Promise<string>
  kill: (signal: NodeJS.Signals) => void
  exited: Promise<number>
  /** A call of /v1 with the demo organization's key. */
  v1: (method: string, path: string, body?: object) => Promise<{ status: number; headers: Headers; json: Json }>
}

/** Everything that a service keeps between starts: settings, data and scratch. */
export interface Place {
  folder: string
  /** Settings. `SKEW_MS` sets the clock of the process ahead. */
  env: Record<string, string>
}

/** Creates a place with free ports, a data folder and a scratch folder. */
export async function createPlace(env: Record<string, string> = {}): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-process-'))
  const scratch = await mkdtemp(join(folder, 'scratch-'))
  const [port, edgePort] = [await lastingPort(), await lastingPort()]
  const { PATH = '/usr/local/bin:/usr/bin:/bin', HOME = folder, FFMPEG, FFPROBE } = process.env
  const testRun: Record<string, string> = FFMPEG && FFPROBE ? { FFMPEG, FFPROBE, ...memoryEnv } : {}
  const baseEnv = { PATH, HOME, ...testRun, TMPDIR: scratch, DATA_DIR: join(folder, 'data'), LOG_FORMAT: 'json' }
  // An album keeps the workers busy after the start.
  const demo: Record<string, string> = env.DATABASE_URL === undefined ? { DEMO: 'empty' } : {}
  return { folder, env: { ...baseEnv, ...demo, PORT: String(port), EDGE_PORT: String(edgePort), ...env } }
}

/** Processes that may still run: a failed test must not leave any. */
const spawned = new Set<Bun.Subprocess>()

/**
 * Starts the program without waiting for anything.
 * @param wrapper a command in front of it
 */
export function spawnMain({ folder, env }: Place, args = ['start'], wrapper: readonly string[] = []) {
  const preload = 'SKEW_MS' in env ? ['--preload', join(import.meta.dir, 'skewed-clock.ts')] : []
  const [out, error] = [join(folder, `${crypto.randomUUID()}.out`), join(folder, `${crypto.randomUUID()}.err`)]
  const child = Bun.spawn([...wrapper, process.execPath, ...preload, MAIN, ...args], {
    // Not the repository: a developer's .env must not be read.
    cwd: folder,
    env,
    stdin: 'ignore',
    stdout: Bun.file(out),
    stderr: Bun.file(error),
  })
  spawned.add(child)
  child.exited.then(() => spawned.delete(child))
  return { child, stdout: () => Bun.file(out).text(), stderr: () => Bun.file(error).text() }
}

/** Runs the program to its end. */
export async function runMain(place: Place, args?: string[], wrapper?: readonly string[]) {
  const { child, stdout, stderr } = spawnMain(place, args, wrapper)
  const exitCode = await child.exited
  return { exitCode, stdout: await stdout(), stderr: await stderr() }
}

/** Starts the service and waits until it can serve. */
export async function startProcess(place: Place): Promise<ServiceProcess> {
  const began = performance.now()
  const { child, stdout, stderr } = spawnMain(place)
  const output = async () => (await stdout()) + (await stderr())
  const { PORT, EDGE_PORT, DATA_DIR = '' } = place.env
  const [url, edgeUrl] = [`http://localhost:${PORT}`, `http://localhost:${EDGE_PORT}`]
  await until('the service to be ready', START_TIMEOUT_MS, async () => {
    if (child.exitCode !== null) throw new Error(`the service ended: ${await output()}`)
    return (await fetch(`${url}/health/ready`).catch(() => null))?.ok
  })
  const startMs = performance.now() - began
  const credentials: Credentials = await Bun.file(join(DATA_DIR, 'credentials.json')).json()
  return {
    pid: child.pid,
    url,
    edgeUrl,
    startMs,
    credentials,
    output,
    kill: (signal) => child.kill(signal),
    exited: child.exited,
    v1: async (method, path, body) => {
      const headers = { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' }
      const init = { method, headers, body: body && JSON.stringify(body) }
      const response = await fetch(`${url}/v1${path}`, { ...init, redirect: 'manual' })
      return { status: response.status, headers: response.headers, json: await response.json().catch(() => null) }
    },
  }
}

/** Ends all processes and removes the places. */
export async function cleanUp(...places: Place[]): Promise<void> {
  for (const child of spawned) child.kill('SIGKILL')
  await Promise.all([...spawned].map((child) => child.exited))
  for (const { folder, env } of places) {
    await until('the embedded PostgreSQL to end', 10_000, async () => !isAlive(await postgresPid(env.DATA_DIR ?? '')))
    await rm(folder, { recursive: true, force: true })
  }
}

/** Creates a track in the demo collection. @returns its id, the upload address and the path of its files */
export async function createTrack(
  service: ServiceProcess,
): Promise<{ id: string; uploadUrl: string; basePath: string }> {
  const body = { collection_id: service.credentials.collection_id, file_name: 'song.mp3' }
  const { json } = await service.v1('POST', '/track', body)
  return { id: json.track_id, uploadUrl: json.track_upload.upload_url, basePath: json.track.path }
}

/** Creates a track and uploads its recording. */
export async function uploadTo(service: ServiceProcess, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { id, uploadUrl } = await createTrack(service)
  const put = await fetch(uploadUrl, { method: 'PUT', body: new Blob([bytes]) })
  if (put.status !== 200) throw new Error(`upload: ${put.status} ${await put.text()}`)
  return id
}

/** Waits until a track has one of these states. @returns the track */
export async function untilStatus(service: ServiceProcess, trackId: string, statuses: string[], ms = 60_000) {
  let track: Json
  await until(`the track to be ${statuses.join(' or ')}`, ms, async () => {
    track = (await service.v1('GET', `/track/${trackId}`)).json?.track
    return statuses.includes(track?.track_status_id)
  })
  return track
}

/** The embedded PostgreSQL of a data folder; 0 when there is none. */
export async function postgresPid(dataDir: string): Promise<number> {
  const text = await Bun.file(join(dataDir, 'postgres/cluster/postmaster.pid'))
    .text()
    .catch(() => '')
  return Number(text.split('\n')[0]) || 0
}

export function isAlive(pid: number): boolean {
  if (pid === 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Processes with a path below this folder among their arguments. */
export async function processesOn(folder: string): Promise<string[]> {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(numbers.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(folder))
}
