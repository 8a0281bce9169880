// The unit of systemd as the guide "Run in production" installs it, on a machine that systemd runs.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../../.config/once.ts'
import { createClient } from '../../../src/client/index.ts'
import { tone } from '../../support/audio.ts'
import { lastingPort } from '../../support/ports.ts'
import { emptyDatabase } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'
import { createMachine, missingPrograms, runCommand } from './machine.ts'

setDefaultTimeout(180_000)

const UNIT = 'tonearm@.service'
const unitFile = join(root, '.config/deploy', UNIT)
/** systemd's own measure of what a service may do: 0 is nothing, 10 is all. */
const MAX_EXPOSURE = 3.1

describe.skipIf(missingPrograms.length > 0)(`systemd (needs ${missingPrograms.join(', ') || 'systemd-nspawn'})`, () => {
  let machine: Awaited<ReturnType<typeof createMachine>>
  let url: string
  let edgeUrl: string
  const roles = ['gateway', 'edge', 'worker'] as const
  const ports: Record<string, number> = {}
  beforeAll(async () => {
    machine = await createMachine()
    const at = (...path: string[]) => join(machine.root, ...path)
    for (const name of [...roles, 'files']) ports[name] = await lastingPort()
    url = `http://127.0.0.1:${ports.gateway}`
    edgeUrl = `http://127.0.0.1:${ports.files}`
    await machine.prepare(
      'useradd',
      '--system',
      '--home-dir',
      '/var/lib/tonearm',
      '--shell',
      '/usr/sbin/nologin',
      'tonearm',
    )
    await runCommand([process.execPath, join(root, '.config/image.ts'), at('opt/tonearm')])
    await machine.prepare('rm', '-f', '/usr/local/bin/bun')
    await cp(process.execPath, at('usr/local/bin/bun'), { dereference: true })
    await cp(unitFile, at('etc/systemd/system', UNIT))
    const settings = {
      SECRET: 's'.repeat(32),
      DATABASE_URL: await emptyDatabase(),
      PUBLIC_URL: url,
      EDGE_URL: edgeUrl,
      DELIVERY_URL: 'http://{org_domain}',
      DEMO: 'empty',
    }
    const toText = (values: object) => Object.entries(values).map(([name, value]) => `${name}=${value}\n`)
    await Bun.write(at('etc/tonearm/tonearm.env'), toText(settings).join(''))
    await machine.prepare('chmod', '600', '/etc/tonearm/tonearm.env')
    await Bun.write(at('etc/tonearm/gateway.env'), toText({ PORT: ports.gateway }).join(''))
    await Bun.write(at('etc/tonearm/edge.env'), toText({ PORT: ports.edge, EDGE_PORT: ports.files }).join(''))
    await Bun.write(at('etc/tonearm/worker.env'), toText({ PORT: ports.worker }).join(''))
    // Nothing else of this machine is started.
    await machine.boot('basic.target')
    await machine.run('systemctl', 'start', ...roles.map((role) => `tonearm@${role}`))
    for (const role of roles) {
      await until(`${role} to be ready`, 60_000, () => isReady(role)).catch(async (error) => {
        throw new Error(`${error.message}\n${await machine.run('journalctl', '--no-pager', '-n', '50')}`)
      })
    }
  })
  afterAll(() => machine?.remove())

  const readiness = (role: string) => fetch(`http://127.0.0.1:${ports[role]}/health/ready`)
  const isReady = async (role: string) => (await readiness(role).catch(() => null))?.ok
  const show = async (role: string, property: string) =>
    (await machine.run('systemctl', 'show', '--value', '--property', property, `tonearm@${role}`)).trim()

  test('finds no mistake in the unit', async () => {
    expect(await machine.run('systemd-analyze', 'verify', 'tonearm@gateway.service')).toBe('')
  })

  test('gives the service few rights', async () => {
    const threshold = `--threshold=${MAX_EXPOSURE * 10}`
    const report = await runCommand(['systemd-analyze', 'security', '--offline=true', threshold, unitFile])
    expect(report).toContain('Overall exposure level')
  })

  test('runs a recording through the three roles', async () => {
    const {
      api_key: apiKey,
      share_key: shareKey,
      collection_id: collectionId,
    } = JSON.parse(await machine.run('cat', '/var/lib/tonearm/credentials.json'))
    const tonearm = createClient({ baseUrl: url, apiKey })
    const file = new Blob([await tone(3)])
    const { trackId } = await tonearm.upload(file, { collectionId, track: { file_name: 'tone.wav' } })
    const { track } = await tonearm.waitForTrack(trackId, { signal: AbortSignal.timeout(120_000) })
    expect(track).toMatchObject({ track_status_id: 'ready', duration: 3 })
    const link = await fetch(tonearm.streamUrl(trackId, shareKey), { redirect: 'manual' })
    const { pathname, search } = new URL(link.headers.get('location') ?? '')
    expect((await fetch(edgeUrl + pathname + search)).status).toBe(200)
  })

  test.each(roles)('%s is a user without rights, with the sandbox complete', async (role) => {
    const status = await machine.run('cat', `/proc/${await show(role, 'MainPID')}/status`)
    const uid = (await machine.run('id', '-u', 'tonearm')).trim()
    expect(status).toMatch(new RegExp(`^Uid:\\s${uid}\\s`, 'm'))
    expect(status).toMatch(/^CapBnd:\s0{16}$/m)
    expect(status).toMatch(/^NoNewPrivs:\s1$/m)
    expect((await (await readiness(role)).json()).sandbox_missing).toEqual([])
  })

  test('a process that ends is started again', async () => {
    const pid = await show('worker', 'MainPID')
    await machine.run('systemctl', 'kill', '--signal=SIGKILL', 'tonearm@worker')
    await until('another worker', 60_000, async () => {
      const successor = await show('worker', 'MainPID')
      return successor !== '0' && successor !== pid && (await isReady('worker'))
    })
  })

  test.each(['worker', 'edge', 'gateway'])('%s stops within its time', async (role) => {
    await machine.run('systemctl', 'stop', `tonearm@${role}`)
    expect([await show(role, 'Result'), await show(role, 'ExecMainStatus')]).toEqual(['success', '0'])
    expect(await machine.run('journalctl', '--no-pager', '-u', `tonearm@${role}`)).toContain('"msg":"stopped"')
  })
})
