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

/** Applied migrations are never changed, and generated code has no text of its own. */
const excluded = /(^|\/)(generated|node_modules)\/|\/migrations\//
const texts = [
  'src/**/*.{ts,tsx,css,html,graphql}',
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
const testFiles = 'test/**/*.test.ts'
/** The line that has the name of a test, a group or a table. */
const testName = /^\s*(?:(?:test|describe)\b.*\(|\]\)\()\s*['"`]/

function filesOf(patterns: readonly string[]): string[] {
  const found = patterns.flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root, dot: true })])
  return [...new Set(found)].filter((path) => !excluded.test(path)).sort()
}

/** @returns every retired word as `file:line word -> instead` */
async function findings(paths: readonly string[], isChecked: (line: string) => boolean = () => true) {
  const found = await Promise.all(
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
  return found.flat()
}

test('comments, messages and descriptions use no retired word', async () => {
  const paths = filesOf(texts)
  expect(paths.length).toBeGreaterThan(300)
  for (const path of ['README.md', 'schema.prisma', 'src/roles/gateway/schema.graphql']) expect(paths).toContain(path)
  expect(await findings(paths)).toEqual([])
})

test('names of tests use no retired word', async () => {
  const paths = filesOf([testFiles])
  expect(paths.length).toBeGreaterThan(100)
  expect(await findings(paths, (line) => testName.test(line))).toEqual([])
})

test.each(['Whoever asks', 'is made anew', '50 unless told.', 'it lies beside the file', '/** What is sent. */'])(
  'detects a retired word: %s',
  (text) => {
    expect(retired.some(([pattern]) => pattern.test(text))).toBe(true)
  },
)
