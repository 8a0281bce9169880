import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'

const root = join(import.meta.dir, '..')

/** Words and phrases that the texts of the project do not use, and what they use instead (src/README.md, terms). */
const retired: [pattern: RegExp, instead: string][] = [
  [/\b(whoever|whomever|nobody|somebody)\b/i, 'the client, any caller, no client'],
  [/\b(whatever|wherefrom|thereby)\b/i, 'name it'],
  [/\banew\b/i, 'again; rebuild; recompute'],
  [/\bunless told\b/i, 'Defaults to …'],
  [/\btold\b/i, 'notify, publish, report, record'],
  [/\b(so many|the last so many)\b/i, 'maximum number of items, the last N items'],
  [/\bstands? in\b/i, 'is in, is stored in'],
  [/\b(lies|lie in|lie beside)\b/i, 'is in, is stored in'],
  [/(?<!there )\b(is|are|be) none\b/i, 'is not a …, is invalid, unknown'],
  [/\bnone of ours?\b/i, 'is not a …, is invalid, unknown'],
  [/\b(of|by) which\b/i, 'that; split the sentence'],
  [/\bbesides?\b/i, 'alongside, next to, sibling, in addition to'],
  [/\bmeanwhile\b/i, 'while X is running'],
  [/\bmade of\b/i, 'derived from, generated from'],
  [/(?:\/\*\*|^\s*\*|^\s*\/\/+|^\s*#|description: ['"`]) What\b(?!.*\?)/, 'name the thing: "Files that …"'],
]

/** Generated code has no text of its own. */
const excluded = /(^|\/)(generated|node_modules|\.tmp)\/|\.gen\.ts$/
const texts = [
  'src/**/*.{ts,tsx,css,html,graphql,sql}',
  '.config/**/*.ts',
  'README.md',
  'src/README.md',
  'src/client/README.md',
  'src/web/docs/guides/*.md',
  'test/bench/README.md',
  '.github/*.md',
  'src/decisions/*.md',
  'schema.prisma',
  '.env.example',
  'docker-compose.yml',
  'Dockerfile',
]
const testFiles = 'test/**/*.{ts,tsx}'
/** The words themselves. */
const isOwn = (path: string) => path === 'test/words.test.ts'
/** A comment, alone in its line or after code. */
const comment = /^\s*(?:\/\*\*?|\*|\/\/)|\s\/\/ /
/** The line that has the name of a test, a group or a table. */
const testName = /^\s*(?:(?:test|describe)\b.*\(|\]\)\()\s*['"`]/

function filesOf(patterns: readonly string[]): string[] {
  const paths = patterns.flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root, dot: true })])
  return [...new Set(paths)].filter((path) => !excluded.test(path)).sort()
}

/** @returns every retired word as `file:line word -> instead` */
async function findings(paths: readonly string[], isChecked: (line: string) => boolean = () => true) {
  const perFile = await Promise.all(
    paths.map(async (path) => {
      const lines = (await Bun.file(join(root, path)).text()).split('\n')
      return lines.flatMap((line, i) =>
        retired.flatMap(([pattern, instead]) => {
          const word = isChecked(line) ? pattern.exec(line)?.[0] : undefined
          return word ? [`${path}:${i + 1} "${word.trim()}" -> ${instead}`] : []
        }),
      )
    }),
  )
  return perFile.flat()
}

test('comments, messages and descriptions use no retired word', async () => {
  const paths = filesOf(texts)
  expect(paths.length).toBeGreaterThan(300)
  for (const path of ['README.md', 'schema.prisma', 'src/roles/gateway/schema.graphql']) expect(paths).toContain(path)
  expect(await findings(paths)).toEqual([])
})

test('names and comments of tests use no retired word', async () => {
  const paths = filesOf([testFiles]).filter((path) => !isOwn(path))
  expect(paths.length).toBeGreaterThan(100)
  expect(await findings(paths, (line) => testName.test(line) || comment.test(line))).toEqual([])
})

/** Retired words in names of database objects, and what they use instead. */
const retiredInSql: [pattern: RegExp, instead: string][] = [
  [/\b\w*_?tells?_\w+|\w+_tell\b/i, 'notify, publish, record'],
  [/\b(holder|held_\w+|\w+_held)\b/i, 'lease, lock, owner'],
  [/\b\w+_anew\b/i, 'again; rebuild'],
]

/** A literal that is split only to share lines. Groups of a flag and its value are allowed. */
const splitLiteral = /\.\.\.\{|^\s+\.\.\.\[(?!.*['"`]-).*\],?$/

test('no literal is split to be shorter than the formatter prints it', async () => {
  const paths = filesOf(['src/**/*.{ts,tsx}', '.config/**/*.ts', testFiles]).filter((path) => !isOwn(path))
  expect(paths.length).toBeGreaterThan(1000)
  const perFile = await Promise.all(
    paths.map(async (path) => {
      const lines = (await Bun.file(join(root, path)).text()).split('\n')
      return lines.flatMap((line, i) => (splitLiteral.test(line) ? [`${path}:${i + 1} ${line.trim()}`] : []))
    }),
  )
  expect(perFile.flat()).toEqual([])
})

test.each(['  ...{ id: true, title: true },', '  <Cover {...{ upload, queue }} />', "    ...['aac', 'alac', 'flac'],"])(
  'finds a split literal: %s',
  (line) => {
    expect(line).toMatch(splitLiteral)
  },
)

test.each([
  "  ...['-map', '0:a', '-f', 'wav'],",
  "  ...(isOn ? ['aac'] : []),",
  '  ...[1, 2].map((value) => value + 1),',
])('allows %s', (line) => {
  expect(line).not.toMatch(splitLiteral)
})

test('names in SQL definitions and migrations use no retired word', async () => {
  const paths = filesOf(['src/platform/db/{migrations,sql}/*.sql'])
  expect(paths.length).toBeGreaterThan(20)
  const perFile = await Promise.all(
    paths.map(async (path) => {
      const text = await Bun.file(join(root, path)).text()
      return retiredInSql.flatMap(([pattern, instead]) => {
        const word = pattern.exec(text)?.[0]
        return word ? [`${path} "${word}" -> ${instead}`] : []
      })
    }),
  )
  expect(perFile.flat()).toEqual([])
})

test.each(['track_tell_change', 'webhook_delivery_tell_due', 'held_until', 'holder'])(
  'detects a retired word in a name: %s',
  (name) => {
    expect(retiredInSql.some(([pattern]) => pattern.test(name))).toBe(true)
  },
)

test.each(['Whoever asks', 'is made anew', '50 unless told.', 'it lies beside the file', '/** What is sent. */'])(
  'detects a retired word: %s',
  (text) => {
    expect(retired.some(([pattern]) => pattern.test(text))).toBe(true)
  },
)
