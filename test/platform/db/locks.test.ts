import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { lockClasses, locks } from '../../../src/platform/db/locks.ts'

const src = join(import.meta.dir, '../../../src')

test.each([
  { name: 'locks', numbers: Object.values(locks) as number[] },
  { name: 'lockClasses', numbers: Object.values(lockClasses) as number[] },
])('no two of $name have the same number', ({ numbers }) => {
  expect(numbers.length).toBeGreaterThan(1)
  expect(new Set(numbers).size).toBe(numbers.length)
})

test('every advisory lock of a program takes its number from platform/db/locks.ts', async () => {
  const literal: string[] = []
  for await (const path of new Glob('**/*.ts').scan(src)) {
    const text = await Bun.file(join(src, path)).text()
    if (/pg_(try_)?advisory(_xact)?_lock\(\d/.test(text)) literal.push(path)
    if (/advisory(_xact)?_lock/.test(text) && !text.includes("/locks.ts'")) {
      literal.push(path)
    }
  }
  expect(literal).toEqual([])
})
