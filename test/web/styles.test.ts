import { expect, test } from 'bun:test'
import { basename, join } from 'node:path'

const studio = join(import.meta.dir, '../../src/web/studio')

test('a class that a part of the studio defines is styled by no other: all styles apply to all pages', async () => {
  const files = await Array.fromAsync(new Bun.Glob('**/*.css').scan(studio))
  const texts = await Promise.all(files.map((file) => Bun.file(join(studio, file)).text()))
  const definedBy = (text: string) => [...text.matchAll(/^\.([\w-]+)(?: \{|,)$/gm)].map(([, name = '']) => name)
  const sharedClasses = files.flatMap((file, at) =>
    definedBy(texts[at] ?? '').flatMap((name) =>
      files
        .filter((other, i) => other !== file && new RegExp(`\\.${name}(?![\\w-])`).test(texts[i] ?? ''))
        // Parts adapt what all share.
        .filter(() => basename(file) !== 'studio.css')
        .map((other) => `.${name} of ${file} in ${other}`),
    ),
  )
  expect(sharedClasses).toEqual([])
})
