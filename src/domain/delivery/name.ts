const MAX_CHARS = 128

/** Returns the name in a path of any system. */
export const lastPart = (path: string) => path.split(/[/\\]/).at(-1) ?? ''

/**
 * Returns the last part of a path in characters that are safe in headers and file systems: `track` and the extension, if
 * nothing else is left.
 */
export function safeFileName(name: string): string {
  const last = lastPart(name)
  const stem = withoutExtension(last)
  const extension = last.slice(stem.length)
  const safe = stem
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(extension.length - MAX_CHARS)
    .replace(/^[.-]+|-+$/g, '')
  return (safe || 'track') + extension
}

/** Returns a client's file name without its extension. */
export const withoutExtension = (fileName: string) => fileName.replace(/\.[A-Za-z0-9]{1,8}$/, '')

/** A path or storage key without the extensions of its name. */
const cutExtensions = (path: string) => path.replace(/\.[^/]*$/, '')

/** Returns the suffix of a sibling file's path, such as `icon.jpg` or `dat`. */
export const findSuffix = (path: string) => path.slice(cutExtensions(path).length + 1)

/** Returns the path or storage key of a sibling file. @param suffix such as `icon.jpg` or `dat` */
export const siblingKey = (main: string, suffix: string) => `${cutExtensions(main)}.${suffix}`
