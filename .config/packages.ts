import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../package.json'
import { root } from './once.ts'

/** A package of bun.lock. */
export interface LockedPackage {
  /** Place in node_modules, such as `ajv` or `cosmiconfig/js-yaml`. Unique. */
  key: string
  name: string
  version: string
  /** Expression as in its package.json. Null if it names none; undefined if it is not installed, as on other systems. */
  license: string | null | undefined
  /** SHA-512 of the archive, in hexadecimal. Null if the lockfile has none. */
  sha512: string | null
  /** Keys of the packages that it depends on. */
  dependencies: string[]
  /** Whether only devDependencies lead to it. */
  isDevelopment: boolean
}

interface Dependencies {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalPeers?: string[]
}
type Entry = [nameAndVersion: string, registry: string, dependencies: Dependencies, integrity?: string]

/** Reads all packages of bun.lock, of every system, sorted by key. */
export function lockedPackages(): LockedPackage[] {
  const lock = Bun.JSONC.parse(readFileSync(join(root, 'bun.lock'), 'utf8')) as { packages: Record<string, Entry> }
  const entries = new Map(Object.entries(lock.packages))
  const find = (name: string, from: string[]): string | null => {
    for (let depth = from.length; depth >= 0; depth--) {
      const key = [...from.slice(0, depth), name].join('/')
      if (entries.has(key)) return key
    }
    return null
  }
  const needs = new Map(
    [...entries].map(
      ([key, [, , { dependencies, optionalDependencies, peerDependencies = {}, optionalPeers = [] }]]) => {
        const peers = Object.keys(peerDependencies).filter((name) => !optionalPeers.includes(name))
        const names = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]
        const found = names.map((name) => find(name, partsOf(key))).filter((other) => other !== null)
        return [key, [...new Set(found)].sort()] as const
      },
    ),
  )
  const production = new Set<string>()
  const add = (key: string): void => {
    if (production.has(key)) return
    production.add(key)
    for (const other of needs.get(key) ?? []) add(other)
  }
  for (const name of Object.keys(manifest.dependencies)) add(name)
  return [...entries]
    .map(([key, [id, , , integrity]]) => ({
      key,
      name: id.slice(0, id.lastIndexOf('@')),
      version: id.slice(id.lastIndexOf('@') + 1),
      license: licenseOf(key),
      sha512: integrity?.startsWith('sha512-') ? Buffer.from(integrity.slice(7), 'base64').toString('hex') : null,
      dependencies: needs.get(key) ?? [],
      isDevelopment: !production.has(key),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Splits a key into names of packages. Those with a scope contain a slash. */
const partsOf = (key: string): string[] => key.match(/@[^/]+\/[^/]+|[^/]+/g) ?? []

/** Folder of a package, which may not be installed. */
export const folderOf = (key: string): string => join(root, 'node_modules', partsOf(key).join('/node_modules/'))

function licenseOf(key: string): string | null | undefined {
  const file = join(folderOf(key), 'package.json')
  if (!existsSync(file)) return undefined
  const { license, licenses } = JSON.parse(readFileSync(file, 'utf8'))
  const named: unknown[] = [license ?? licenses ?? []].flat()
  // Old packages have objects, or several licenses to choose from.
  const ids = named.map((one) => (typeof one === 'string' ? one : (one as { type?: string }).type)).filter(Boolean)
  return ids.length === 0 ? null : ids.join(' OR ')
}
