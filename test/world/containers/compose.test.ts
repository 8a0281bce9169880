// The services of docker-compose.yml in containers, from an empty machine to the first sound, as the README and the guide "Run in
// production" describe it. A stand-in of SeaweedFS passes requests on to the S3 server of the tests.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect, createServer, type Server } from 'node:net'
import { createClient } from '../../../src/client/index.ts'
import { tone } from '../../support/audio.ts'
import { type Bucket, startBucket } from '../../support/bucket.ts'
import { lastingPort } from '../../support/ports.ts'
import { until } from '../../support/until.ts'
import { createProject } from './compose.ts'
import { buildImage, createBaseImages, missing, podman } from './podman.ts'

setDefaultTimeout(600_000)

const PROJECT = 'tonearm-world'

/** Passes connections of a network of containers on to a port of this machine. */
async function forwardFrom(address: string, port: number): Promise<Server> {
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port })
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  return server
}

describe.skipIf(missing.length > 0)(`containers (needs ${missing.join(', ') || 'podman'})`, () => {
  let project: ReturnType<typeof createProject>
  let bucket: Bucket
  let forwarder: Server | undefined
  let url: string
  let ports: Record<'PORT' | 'EDGE_PORT' | 'S3_PORT' | 'PROMETHEUS_PORT', string>
  beforeAll(async () => {
    await createBaseImages()
    await buildImage('localhost/tonearm:latest')
    bucket = await startBucket()
    ports = {
      PORT: String(await lastingPort()),
      EDGE_PORT: String(await lastingPort()),
      S3_PORT: String(await lastingPort()),
      PROMETHEUS_PORT: String(await lastingPort()),
    }
    const { bucket: name, accessKeyId, secretAccessKey } = bucket.settings
    const keys = { S3_BUCKET: name, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey }
    project = createProject(PROJECT, { SECRET: 's'.repeat(32), DEMO: 'empty', ...ports, ...keys })
    url = `http://localhost:${ports.PORT}`
    await project.remove()
    await project.createNetwork()
    await project.start('postgres')
    const gateway = (
      await podman('network', 'inspect', '--format', '{{range .Subnets}}{{.Gateway}}{{end}}', PROJECT)
    ).trim()
    forwarder = await forwardFrom(gateway, Number(new URL(bucket.settings.endpoint).port))
    const { port } = forwarder.address() as { port: number }
    await project.start('s3', { FORWARD_HOST: gateway, FORWARD_PORT: String(port) })
    for (const role of ['gateway', 'edge', 'worker']) await project.start(role)
    const isReady = async () => (await fetch(`${url}/health/ready`).catch(() => null))?.ok
    await until('the gateway to be ready', 60_000, isReady).catch(async (error) => {
      throw new Error(`${error.message}\n${await project.logs('gateway')}`)
    })
  })
  afterAll(async () => {
    await project?.remove()
    forwarder?.close()
    await bucket?.stop()
  })

  test('a first recording is uploaded, processed and played', async () => {
    const credentials = JSON.parse(await project.exec('gateway', 'cat', '/data/credentials.json'))
    const { api_key: apiKey, share_key: shareKey, collection_id: collectionId } = credentials
    const tonearm = createClient({ baseUrl: url, apiKey })
    const file = new Blob([await tone(3)])
    const { trackId } = await tonearm.upload(file, { collectionId, track: { file_name: 'tone.wav' } })
    const { track } = await tonearm.waitForTrack(trackId, { signal: AbortSignal.timeout(180_000) })
    expect(track).toMatchObject({ track_status_id: 'ready', duration: 3 })
    const sound = await fetch(tonearm.streamUrl(trackId, shareKey))
    expect([sound.status, sound.headers.get('content-type')]).toEqual([200, 'audio/mp4'])
    expect((await sound.arrayBuffer()).byteLength).toBeGreaterThan(10_000)
  })

  test('doctor finds no problem, and admin creates an organization', async () => {
    const report = JSON.parse(await project.exec('gateway', 'tonearm', 'doctor', '--json'))
    expect(report.filter(({ level }: { level: string }) => level === 'problem')).toEqual([])
    const created = await project.exec(
      'gateway',
      'tonearm',
      'admin',
      'create-organization',
      '--name',
      'Example Records',
    )
    expect(JSON.parse(created).organization_id).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('the worker makes a backup in its volume, which is restored into an empty database', async () => {
    const backup = JSON.parse(await project.exec('worker', 'tonearm', 'admin', 'backup', '--into', '/backups'))
    expect(backup).toMatchObject({ missing: 0, differing: 0 })
    expect(backup.objects).toBeGreaterThan(3)
    await project.exec('postgres', 'createdb', '--username=tonearm', 'restored')
    const url = 'DATABASE_URL=postgres://tonearm:tonearm@postgres:5432/restored'
    const restore = await project.exec('worker', 'env', url, 'tonearm', 'admin', 'restore', '--from', '/backups')
    expect(JSON.parse(restore)).toMatchObject({ rows: backup.rows, objects: backup.objects, missing: 0, differing: 0 })
  })

  test('a dump of PostgreSQL is restored into an empty database, with which doctor finds no problem', async () => {
    await project.exec('postgres', 'createdb', '--username=tonearm', 'dumped')
    const dump = 'pg_dump --username=tonearm --format=custom tonearm'
    await project.exec(
      'postgres',
      'sh',
      '-c',
      `${dump} | pg_restore --username=tonearm --exit-on-error --dbname=dumped`,
    )
    const count = (database: string) =>
      project.exec('postgres', 'psql', '--username=tonearm', '-At', '-c', 'SELECT count(*) FROM track_file', database)
    expect(Number(await count('dumped'))).toBeGreaterThan(0)
    expect(await count('dumped')).toBe(await count('tonearm'))
    const url = 'DATABASE_URL=postgres://tonearm:tonearm@postgres:5432/dumped'
    const report = JSON.parse(await project.exec('gateway', 'env', url, 'tonearm', 'doctor', '--json'))
    expect(report.filter(({ level }: { level: string }) => level === 'problem')).toEqual([])
  })

  test('Prometheus of the profile `monitoring` scrapes each role, and no alert fires', async () => {
    await project.start('prometheus')
    const query = async (text: string) => {
      const address = `http://127.0.0.1:${ports.PROMETHEUS_PORT}/api/v1/query?query=${encodeURIComponent(text)}`
      const answer = await fetch(address).catch(() => null)
      return answer?.ok ? (await answer.json()).data.result : []
    }
    await until('a scrape of each role', 60_000, async () => (await query('up{job="tonearm"} == 1')).length === 3)
    expect(await query('ALERTS{alertstate="firing"}')).toEqual([])
    expect(await project.stop('prometheus')).toBe(0)
  })

  test('each role runs as a user other than root, on a file system that it cannot write', async () => {
    for (const role of ['gateway', 'edge', 'worker']) {
      expect((await project.exec(role, 'id', '-u')).trim()).toBe('1000')
      await expect(project.exec(role, 'touch', '/app/file')).rejects.toThrow('Read-only')
    }
  })

  test.each(['worker', 'edge', 'gateway'])('%s stops within its time', async (role) => {
    expect(await project.stop(role)).toBe(0)
    expect(await project.logs(role)).toContain('"stopped"')
  })
})
