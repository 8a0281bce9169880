// The dashboard against the types that Grafana publishes for it.
import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { FOLDER, findCommand, installPackages, run } from '../clients/packages.ts'

const dashboard = await Bun.file(join(import.meta.dir, '../../../.config/deploy/grafana/tonearm.json')).json()

beforeAll(installPackages, 300_000)

/** Compiles a dashboard as a literal of its type, whose enumerations are texts in JSON. */
async function compile(value: object) {
  const text = `import type { Dashboard } from '@grafana/schema'
type Plain<T> = T extends string ? \`\${T}\` : T extends number ? T | number : T extends object ? { [K in keyof T]: Plain<T[K]> } : T
export const dashboard: Plain<Dashboard> = ${JSON.stringify(value, null, 2)}
`
  await Bun.write(join(FOLDER, 'dashboard.ts'), text)
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'ESNext', '--moduleResolution', 'bundler']
  return run([findCommand('tsc'), ...options, '--target', 'ES2023', 'dashboard.ts'])
}

test('fits the types of Grafana', async () => {
  const { exitCode, stdout } = await compile(dashboard)
  expect([exitCode, stdout]).toEqual([0, ''])
}, 60_000)

test('a field that they do not have is found', async () => {
  const [panel] = dashboard.panels
  const { exitCode, stdout } = await compile({ ...dashboard, panels: [{ ...panel, gridPosition: 1 }] })
  expect([exitCode, stdout]).toEqual([2, expect.stringContaining('gridPosition')])
}, 60_000)
