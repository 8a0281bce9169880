// The npm package of src/client in each runtime that it names, with a service.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildClient } from '../../../.config/client.ts'
import { cleanUp, createPlace, type Place, type ServiceProcess, startProcess } from '../../faults/process.ts'
import { tone } from '../../support/audio.ts'
import { FOLDER, findCommand, installPackages, nodes, succeed } from './packages.ts'

let place: Place
let service: ServiceProcess
let env: Record<string, string>
beforeAll(async () => {
  await installPackages()
  const folder = join(FOLDER, 'node_modules/@tonearm/client')
  rmSync(folder, { recursive: true, force: true })
  buildClient(folder)
  await succeed([findCommand('tsc'), '-p', '.'])
  const out = ['--outdir', join(FOLDER, 'built')]
  await succeed([process.execPath, 'build', 'programs/runtime.ts', '--packages=external', '--target=node', ...out])
  await succeed([process.execPath, 'build', 'programs/worker.ts', '--target=browser', ...out])
  place = await createPlace()
  service = await startProcess(place)
  const file = join(place.folder, 'song.wav')
  await Bun.write(file, await tone(1))
  const { api_key, collection_id } = service.credentials
  env = { BASE_URL: service.url, API_KEY: api_key, COLLECTION: collection_id, FILE: file }
}, 300_000)
afterAll(() => cleanUp(place))

const deno = [findCommand('deno'), 'run', '--allow-all', '--no-prompt', '--node-modules-dir=manual']
const runtimes: [name: string, command: string[]][] = [
  ...nodes.map(([name, path]): [string, string[]] => [name, [path]]),
  ['Bun', [process.execPath]],
  ['Deno', deno],
]

describe('the client', () => {
  test.each(runtimes)(
    'uploads, follows and lists in %s',
    async (_, command) => {
      const output = await succeed([...command, 'built/runtime.js'], { env })
      expect(JSON.parse(output)).toEqual({
        statuses: { 'path.wav': 'ready', 'bytes.wav': 'ready', 'stream.wav': 'ready' },
        isWhole: true,
        isListed: true,
        code: 'not_found',
        stopped: 'stopped',
      })
    },
    120_000,
  )

  test('uploads and follows in a Worker', async () => {
    const worker = join(FOLDER, 'built/worker.js')
    const [, node = ''] = nodes[1] ?? []
    await succeed([
      process.execPath,
      'build',
      'programs/start-worker.ts',
      '--packages=external',
      '--target=node',
      '--outdir',
      'built',
    ])
    const output = await succeed([node, 'built/start-worker.js'], { env: { ...env, WORKER: worker } })
    expect(JSON.parse(output)).toEqual({ track_status_id: 'ready', progress: 100 })
  }, 120_000)
})
