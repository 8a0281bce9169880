/** An operation that the page offers ready-made. */
export interface Example {
  /** What it is about, as `Tracks`; examples of one group stand together. */
  group: string
  title: string
  description: string
  query: string
  /** JSON; empty where the operation has none. */
  variables: string
}

const VARIABLES = /^Variables:\s*/i

/**
 * Reads a file of `examples/`. Its first lines are comments: `Group: title`, then lines of description, then
 * `Variables:` with JSON, which may go on to the end of the comments. The rest is the operation.
 * @throws Error where a part is missing
 */
export function parseExample(text: string): Example {
  const lines = text.trim().split('\n')
  const end = lines.findIndex((line) => !line.startsWith('#'))
  const comments = lines.slice(0, end).map((line) => line.replace(/^#\s?/, ''))
  const [group, title] = comments[0]?.split(/:\s+/, 2) ?? []
  if (!group || !title) throw new Error('an example begins with "# Group: title"')
  const start = comments.findIndex((line) => VARIABLES.test(line))
  const description = comments.slice(1, start < 0 ? undefined : start).join(' ')
  const variables = start < 0 ? '' : comments.slice(start).join('\n').replace(VARIABLES, '')
  return {
    group,
    title,
    description,
    query: `# ${group}: ${title}\n${lines.slice(end).join('\n').trim()}\n`,
    variables: variables && JSON.stringify(JSON.parse(variables), null, 2),
  }
}
