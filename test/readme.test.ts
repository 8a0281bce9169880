// The README is short, the links of all documents lead to files, and the first upload works as it is written.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { readResults, withPerformanceTable } from './bench/results.ts'
import { cleanUp, createPlace, type Place, runMain, startProcess } from './faults/process.ts'
import { tone } from './support/audio.ts'

const root = join(import.meta.dir, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

test('the README has at most 600 words', () => {
  expect(readme.trim().split(/\s+/).length).toBeLessThanOrEqual(600)
})

test('the README names every command of .ci/run', () => {
  const commands = [...readFileSync(join(root, '.ci/run'), 'utf8').matchAll(/^step bun run (\S+)/gm)]
  expect(commands.length).toBeGreaterThan(5)
  expect(commands.map(([, name]) => name).filter((name) => !new RegExp(`[\`\\s]${name}[\`\\s]`).test(readme))).toEqual(
    [],
  )
})

const documents = ['README.md', 'src/**/*.md', '.github/**/*.md', 'test/bench/README.md'].flatMap((pattern) => [
  ...new Glob(pattern).scanSync({ cwd: root, dot: true }),
])

test.each(documents)('the links of %s lead to files', (path) => {
  const text = readFileSync(join(root, path), 'utf8')
  const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? '')
  const inside = links.filter((link) => !/^(https?:|\/)/.test(link))
  expect(inside.filter((link) => !existsSync(join(root, dirname(path), link)))).toEqual([])
})

test('files that the map of the code names exist', () => {
  const map = readFileSync(join(root, 'src/README.md'), 'utf8')
  const files = ['src', 'test', '.config'].flatMap((folder) => [
    ...new Glob(`${folder}/**/*`).scanSync({ cwd: root, dot: true }),
  ])
  // Shortened where the folder is clear from the row.
  const isFile = (name: string) => files.some((path) => `/${path}`.endsWith(`/${name}`))
  const names = [...map.matchAll(/`(\w[\w./-]*\.(?:tsx?|sql|json|yaml|md))`/g)].map(([, name = '']) => name)
  expect(names.length).toBeGreaterThan(100)
  expect(names.filter((name) => !isFile(name))).toEqual([])
})

test('decisions that sources and documents name have a page, or are listed as merged', () => {
  const folder = join(root, 'src/decisions')
  const index = readFileSync(join(folder, 'README.md'), 'utf8')
  const pages = readdirSync(folder).map((name) => name.slice(0, 4))
  const merged = [...index.matchAll(/^\| ((?:\d{4}(?:, )?)+) \| (\d{4}) \|$/gm)]
  expect(merged.map(([, , page = '']) => page).filter((page) => !pages.includes(page))).toEqual([])
  const knownNumbers = new Set([...pages, ...merged.flatMap(([, numbers = '']) => numbers.split(', '))])
  const files = ['src/**/*.{ts,tsx,md,sql}', 'test/**/*.{ts,md}'].flatMap((pattern) => [
    ...new Glob(pattern).scanSync({ cwd: root }),
  ])
  const names = files
    .filter((path) => !/\/(generated|node_modules)\//.test(path))
    .flatMap((path) => [
      ...readFileSync(join(root, path), 'utf8').matchAll(/\bdecisions?[ /](\d{4})(?:(?:, | and )(\d{4}))?/g),
    ])
    .flatMap(([, ...numbers]) => numbers.filter(Boolean))
  expect(names.length).toBeGreaterThan(40)
  expect(names.filter((number) => !knownNumbers.has(number))).toEqual([])
  expect(pages.filter((page) => page !== 'READ' && !index.includes(`[${page}](${page}-`))).toEqual([])
})

test('the table of test/bench/README.md shows the results of the benchmarks', async () => {
  const results = await readResults()
  const text = readFileSync(join(root, 'test/bench/README.md'), 'utf8')
  expect(withPerformanceTable(text, results)).toBe(text)
  expect(withPerformanceTable(text, {})).not.toBe(text)
})

test('the picture is small', () => {
  expect(statSync(join(root, 'src/web/docs/console.png')).size).toBeLessThan(150_000)
})

describe('the first upload', () => {
  let place: Place
  beforeAll(async () => {
    place = await createPlace()
    await startProcess(place)
    symlinkSync(place.env.DATA_DIR ?? '', join(place.folder, '.data'))
    await Bun.write(join(place.folder, 'song.mp3'), await tone(2))
  }, 60_000)
  afterAll(() => cleanUp(place))

  test('by the command of the README ends with a link that plays', async () => {
    const [, file = ''] = /^bun run demo (\S+)$/m.exec(readme) ?? []
    const { exitCode, stdout, stderr } = await runMain(place, ['demo', file])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/\nlink +http\S+\nsound +200, \d+ bytes of audio\/mp4\n$/)
  }, 60_000)

  test('with curl works as the guide shows it', async () => {
    const guide = readFileSync(join(root, 'src/web/docs/guides/build-an-app.md'), 'utf8')
    const [, script = 'false'] = /^## A first upload with curl$[\s\S]*?```sh\n([\s\S]*?)```/m.exec(guide) ?? []
    const run = Bun.spawn(['bash', '-euo', 'pipefail', '-c', script], { cwd: place.folder, stderr: 'pipe' })
    expect(await run.exited).toBe(0)
    const sound = Bun.file(join(place.folder, 'sound.m4a'))
    expect(Buffer.from(await sound.slice(4, 8).arrayBuffer()).toString()).toBe('ftyp')
  }, 60_000)
})
