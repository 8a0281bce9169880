import { expect, test } from 'bun:test'
import { join } from 'node:path'

const studio = join(import.meta.dir, '../../src/web/studio')

test('no two parts of the studio give a class two meanings: all styles apply to all pages', async () => {
  const files = await Array.fromAsync(new Bun.Glob('**/*.css').scan(studio))
  const places = new Map<string, Set<string>>()
  for (const file of files) {
    const text = await Bun.file(join(studio, file)).text()
    for (const [, name = ''] of text.matchAll(/^\.([\w-]+)(?: \{|,)$/gm)) {
      places.set(name, (places.get(name) ?? new Set()).add(file))
    }
  }
  expect(places.size).toBeGreaterThan(50)
  expect([...places].filter(([, among]) => among.size > 1)).toEqual([])
})
