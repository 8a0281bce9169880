// The README is short, its links lead somewhere, and its first upload works as it is written.
import { afterAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { readResults, withPerformanceTable } from './bench/results.ts'
import { cleanUp, createPlace, type Place, startProcess } from './faults/process.ts'
import { tone } from './support/audio.ts'

const root = join(import.meta.dir, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const places: Place[] = []
afterAll(() => cleanUp(...places))

test('the README has at most 120 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120)
})

const documents = ['README.md', 'src/**/*.md', '.github/**/*.md'].flatMap((pattern) => [
  ...new Glob(pattern).scanSync({ cwd: root, dot: true }),
])

test.each(documents)('the links of %s lead to files', (path) => {
  const text = readFileSync(join(root, path), 'utf8')
  const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? '')
  const inside = links.filter((link) => !/^(https?:|\/)/.test(link))
  expect(inside.filter((link) => !existsSync(join(root, dirname(path), link)))).toEqual([])
})

test('the performance table shows the results of the benchmarks', async () => {
  const results = await readResults()
  expect(withPerformanceTable(readme, results)).toBe(readme)
  expect(withPerformanceTable(readme, {})).not.toBe(readme)
})

test('the picture is small', () => {
  expect(statSync(join(root, 'src/web/docs/console.png')).size).toBeLessThan(150_000)
})

test('the first upload works as it is written', async () => {
  const place = await createPlace()
  places.push(place)
  const service = await startProcess(place)
  const folder = dirname(place.env.DATA_DIR ?? '')
  symlinkSync(place.env.DATA_DIR ?? '', join(folder, '.data'))
  await Bun.write(join(folder, 'song.mp3'), await tone(2))
  const script = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map((match) => match[1] ?? '')
    .find((text) => text.includes('curl'))
  const run = Bun.spawn(['bash', '-euo', 'pipefail', '-c', script ?? 'false'], { cwd: folder, stderr: 'pipe' })
  expect([await run.exited, service.credentials.share_key.length > 0]).toEqual([0, true])
  const sound = Bun.file(join(folder, 'sound.m4a'))
  expect(Buffer.from(await sound.slice(4, 8).arrayBuffer()).toString()).toBe('ftyp')
}, 60_000)
