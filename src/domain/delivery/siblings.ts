import { isObject } from '../../platform/object.ts'

/** A sibling file as it is stored in the `data` of a file, such as a size of a cover. */
interface Sibling {
  path: string
  /** Whether it is the main file itself, under a second path. */
  is_main?: boolean
}

/** Extensions of files that may have siblings. */
export const extensionsWithSiblings = ['jpg', 'json', 'm4a']

/** Path of a sibling file: stem and suffix, such as `icon.jpg` or `dat`. Main files have a single extension, and other ones. */
const siblingPath = /^([^.]*)\.([a-z0-9]+\.[a-z0-9.]+|dat|webp)$/

/** Returns null for the path of a main file. */
export function parseSiblingPath(path: string): { path: string; stem: string; suffix: string } | null {
  const [, stem, suffix] = siblingPath.exec(path) ?? []
  return stem === undefined || suffix === undefined ? null : { path, stem, suffix }
}

const isSibling = (value: unknown): value is Sibling => isObject(value) && typeof value.path === 'string'

/** Returns the sibling files that `data` contains, at any depth. Each has bytes of its own. */
export function findSiblings(data: unknown): Sibling[] {
  if (!isObject(data)) return []
  return Object.values(data).flatMap((value) => [
    ...(isSibling(value) && !value.is_main ? [value] : []),
    ...findSiblings(value),
  ])
}

/** Returns a copy of `data` in which every sibling file has the fields that `change` returns for its path. */
export function mapSiblings(data: unknown, change: (path: string) => object): unknown {
  if (!isObject(data)) return data
  const copy = Object.fromEntries(Object.entries(data).map(([name, inner]) => [name, mapSiblings(inner, change)]))
  return isSibling(data) ? { ...copy, ...change(data.path) } : copy
}
