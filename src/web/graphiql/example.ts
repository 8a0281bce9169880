/** A ready-made operation. */
export interface Example {
  /** Topic, such as `Tracks`. Examples are grouped by it. */
  group: string
  title: string
  description: string
  query: string
  /** JSON. Empty if the operation has no variables. */
  variables: string
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
  }
}
