/** A ready-made operation. */
export interface Example {
  /** Topic, such as `Tracks`. Examples are grouped by it. */
  group: string
  title: string
  description: string
  query: string
  /** JSON with placeholders such as `{trackId}`. Empty if the operation has no variables. */
  variables: string
  /** Whether it is a mutation. */
  isWriting: boolean
}

/** Records of the organization that an example may name, each with the text where there is no such record. */
export const placeholders = {
  organizationId: 'id of the organization',
  collectionId: 'id of the collection',
  trackId: 'id of the track',
} as const
export type Ids = { [Name in keyof typeof placeholders]?: string | null }

const PLACEHOLDER = /\{(\w+)\}/g

/** Replaces the placeholders of an example's variables. */
export const fillIn = (variables: string, ids: Ids): string =>
  variables.replace(PLACEHOLDER, (text, name: keyof Ids) => ids[name] ?? placeholders[name] ?? text)

/** Whether an operation is an example as it was opened: with any ID in place of a placeholder. */
export function isUnchanged({ query, variables }: Example, operation: { query: string; variables?: unknown }): boolean {
  if (operation.query.trim() !== query.trim()) return false
  return fits(JSON.parse(variables || '{}'), operation.variables ?? {})
}

function fits(expected: unknown, actual: unknown): boolean {
  if (typeof expected === 'string' && /^\{\w+\}$/.test(expected)) return typeof actual === 'string'
  if (typeof expected !== 'object' || expected === null) return expected === actual
  if (typeof actual !== 'object' || actual === null) return false
  const names = Object.keys({ ...expected, ...actual })
  const [expectedFields, actualFields] = [expected as Record<string, unknown>, actual as Record<string, unknown>]
  return names.every((name) => fits(expectedFields[name], actualFields[name]))
}

const VARIABLES = /^Variables:\s*/i

/**
 * Parses a file of `examples/`. Its first lines are comments: `Group: title`, then lines of description, then
 * `Variables:` with JSON up to the end of the comments. The rest is the operation.
 * @throws Error when a part is missing
 */
export function parseExample(text: string): Example {
  const lines = text.trim().split('\n')
  const end = lines.findIndex((line) => !line.startsWith('#'))
  const comments = lines.slice(0, end).map((line) => line.replace(/^#\s?/, ''))
  const [group, title] = comments[0]?.split(/:\s+/, 2) ?? []
  if (!group || !title) throw new Error('an example must begin with "# Group: title"')
  const start = comments.findIndex((line) => VARIABLES.test(line))
  const description = comments.slice(1, start < 0 ? undefined : start).join(' ')
  const variables = start < 0 ? '' : comments.slice(start).join('\n').replace(VARIABLES, '')
  return {
    group,
    title,
    description,
    query: `# ${group}: ${title}\n${lines.slice(end).join('\n').trim()}\n`,
    variables: variables && JSON.stringify(JSON.parse(variables), null, 2),
    isWriting: /^mutation\b/m.test(text),
  }
}
