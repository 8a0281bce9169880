/** A record or page that a person opened by the palette. */
export interface RecentEntry {
  path: string
  text: string
}

const MAX_RECENT = 5
const toKey = (organizationId: string) => `tonearm.recent.${organizationId}`

const isEntry = (value: unknown): value is RecentEntry =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as RecentEntry).path === 'string' &&
  typeof (value as RecentEntry).text === 'string'

/** Entries that this browser remembers, the latest first. */
export function readRecent(organizationId: string, storage: Pick<Storage, 'getItem'> = localStorage): RecentEntry[] {
  try {
    const entries: unknown = JSON.parse(storage.getItem(toKey(organizationId)) ?? '[]')
    return Array.isArray(entries) ? entries.filter(isEntry).slice(0, MAX_RECENT) : []
  } catch {
    return []
  }
}

export function addRecent(
  organizationId: string,
  { path, text }: RecentEntry,
  storage: Pick<Storage, 'getItem' | 'setItem'> = localStorage,
): void {
  const others = readRecent(organizationId, storage).filter((entry) => entry.path !== path)
  storage.setItem(toKey(organizationId), JSON.stringify([{ path, text }, ...others].slice(0, MAX_RECENT)))
}
