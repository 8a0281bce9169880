// Packages of the service: exact versions, allowed licenses, and a bill of materials that tools can read.
import { describe, expect, test } from 'bun:test'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { forbidden, isAllowed } from '../.config/licenses.ts'
import { folderOf, type LockedPackage, lockedPackages } from '../.config/packages.ts'
import { createSbom } from '../.config/sbom.ts'
import manifest from '../package.json'

const root = join(import.meta.dir, '..')
const packages = lockedPackages()

test('every dependency has an exact version', () => {
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
  expect(versions.length).toBeGreaterThan(60)
  const exact = /^(npm:[a-z0-9-]+@)?\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/
  expect(versions.filter(([, version]) => !exact.test(version))).toEqual([])
})

describe('a first start', () => {
  test('installs no tools, and every other command installs them', () => {
    const users = Object.entries(manifest.scripts).filter(([, script]) => script.includes('run --silent prepared'))
    expect(users.length).toBeGreaterThan(10)
    const [running, others] = [
      users.filter(([, script]) => /exec bun src\/main\.ts/.test(script)),
      users.filter(([, script]) => !/exec bun src\/main\.ts/.test(script)),
    ]
    expect(running.map(([name]) => name)).toEqual(['start', 'admin', 'demo', 'doctor'])
    expect(running.filter(([, script]) => !script.startsWith('bun run --silent prepared &&'))).toEqual([])
    expect(others.filter(([, script]) => !script.startsWith('bun run --silent prepared:all &&'))).toEqual([])
  })

  /** Space on disk of the files in a folder, without those of packages in it. */
  function sizeOf(folder: string): number {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => name !== 'node_modules')
      .reduce((sum, entry) => {
        const path = join(folder, entry.name)
        return sum + lstatSync(path).blocks * 512 + (entry.isDirectory() ? sizeOf(path) : 0)
      }, 0)
  }

  test('installs less than 500 MB', () => {
    const folders = packages.filter(({ isDevelopment }) => !isDevelopment).map(({ key }) => folderOf(key))
    const bytes = folders.filter((folder) => existsSync(folder)).reduce((sum, folder) => sum + sizeOf(folder), 0)
    expect(bytes).toBeGreaterThan(300 * 2 ** 20)
    expect(bytes).toBeLessThan(500 * 2 ** 20)
  })

  test('installs the packages that only peers of others are, and that it imports', () => {
    // A start omits peers, and Elysia needs this one when it runs.
    expect(Object.keys(manifest.dependencies)).toContain('@sinclair/typebox')
    const typebox = packages.find(({ key }) => key === '@sinclair/typebox')
    expect(typebox?.version).toBe(manifest.dependencies['@sinclair/typebox'])
  })
})

test('one version of Bun is in package.json, the image, the types and the documents', () => {
  const version = manifest.packageManager.replace('bun@', '')
  expect(manifest.devDependencies['bun-types']).toBe(version)
  for (const path of ['README.md', '.ci/run', '.github/CONTRIBUTING.md', 'Dockerfile']) {
    const named = [...readFileSync(join(root, path), 'utf8').matchAll(/\bbun[@:](\d+\.\d+\.\d+)/g)].map(
      ([, one]) => one,
    )
    expect([path, [...new Set(named)]]).toEqual([path, [version]])
  }
})

describe('licenses', () => {
  test('of all packages are allowed', () => {
    expect(packages.filter(({ license }) => license).length).toBeGreaterThan(500)
    expect(forbidden(packages).map(({ name, license }) => `${name}: ${license}`)).toEqual([])
  })

  test.each([
    ['MIT', true],
    ['(MPL-2.0 OR Apache-2.0)', true],
    ['MIT and ISC', true],
    ['MIT AND GPL-3.0', false],
    ['GPL-3.0 OR AGPL-3.0', false],
    ['UNLICENSED', false],
    ['(MIT AND (GPL-3.0 OR ISC))', false],
  ])('%s are allowed: %p', (expression, allowed) => {
    expect(isAllowed(expression)).toBe(allowed)
  })

  test('an exception is for one package and one license', () => {
    const named = (name: string, license: string | null) => ({ name, license }) as LockedPackage
    const wrong = [named('axe-core', 'GPL-3.0'), named('other', 'MPL-2.0'), named('humanize-number', 'AGPL-3.0')]
    expect(
      forbidden([named('axe-core', 'MPL-2.0'), ...wrong, named('nameless', null)]).map(({ name }) => name),
    ).toEqual(['axe-core', 'other', 'humanize-number', 'nameless'])
  })
})

describe('the bill of materials', () => {
  const bom = JSON.parse(createSbom())

  test('is valid CycloneDX 1.6', () => {
    const folder = join(dirname(Bun.resolveSync('@cyclonedx/cyclonedx-library/package.json', root)), 'res/schema')
    const schema = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.SNAPSHOT.schema.json`), 'utf8'))
    const ajv = new Ajv({ strict: false, formats: { 'iri-reference': true, 'idn-email': true } })
    addFormats(ajv)
    for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs']) {
      ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
    }
    const validate = ajv.compile(schema('bom-1.6'))
    validate(bom)
    expect(validate.errors).toBeNull()
    validate({ ...bom, components: [{ type: 'library' }] })
    expect(validate.errors).not.toBeNull()
  })

  test('has every package of the lockfile with its hash, and what it depends on', () => {
    interface Component {
      'bom-ref': string
      scope?: string
      hashes?: unknown[]
    }
    const components = bom.components as Component[]
    expect(components.length).toBe(packages.length + 1)
    expect(components.filter(({ hashes }) => hashes?.length === 1).length).toBe(packages.length)
    const edges = new Map<string, string[]>(
      bom.dependencies.map((one: { ref: string; dependsOn?: string[] }) => [one.ref, one.dependsOn ?? []]),
    )
    expect(edges.get('tonearm')).toEqual(expect.arrayContaining(['elysia', 'typescript', 'runtime:bun']))
    expect(edges.get('pg')).toContain('pg-pool')
    const scope = (ref: string) => components.find((one) => one['bom-ref'] === ref)?.scope
    expect([scope('pg-pool'), scope('typescript')]).toEqual(['required', 'excluded'])
  })
})
