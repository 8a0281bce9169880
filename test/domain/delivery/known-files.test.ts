// Files that an edge keeps, with answers of the database and a clock that the tests set.
import { beforeEach, expect, test } from 'bun:test'
import { createKnownFiles } from '../../../src/domain/delivery/known-files.ts'

let now: number
/** Values of the statements: the snapshot that was known, and the paths. */
let statementValues: [since: string | null, paths: string[]][]
/** Answers each statement with the files of the paths that are `valid`. */
let answer: () => Promise<void>
let valid: Set<string>
let changes: string[] | null
let files: ReturnType<typeof createKnownFiles>

beforeEach(() => {
  now = 1000
  statementValues = []
  answer = async () => {}
  valid = new Set(['a', 'b'])
  changes = null
  const query = async ({ values: [since, paths] }: { values: [string | null, string[]] }) => {
    statementValues.push([since, paths])
    await answer()
    const state = { snapshot: `after ${statementValues.length}`, changes }
    const rows = paths.filter((path) => valid.has(path)).map((path) => ({ ...state, ...createFile(path) }))
    return { rows: rows.length > 0 ? rows : [{ ...state, path: null }] }
  }
  files = createKnownFiles({ pool: { query } as never }, () => now)
})

const createFile = (path: string) => ({
  path,
  suffix: null,
  key: path,
  size: '3',
  modified: new Date(0),
  trackId: `track of ${path}`,
  collectionId: `collection of ${path}`,
  variantId: `variant of ${path}`,
  organizationId: `organization of ${path}`,
})
const recallKeys = (...paths: string[]) => paths.map((path) => files.recall(path)?.key ?? null)

test('a file is returned at once after it was found, an unknown one is not', async () => {
  expect(recallKeys('a')).toEqual([null])
  expect(await files.find('a')).toMatchObject({ key: 'a', size: 3 })
  expect(await files.find('c')).toBeUndefined()
  expect(recallKeys('a', 'c')).toEqual(['a', null])
  expect(statementValues).toEqual([
    [null, ['a']],
    ['after 1', ['c']],
  ])
})

test('a statement asks for changes only, if the file is known', async () => {
  await files.find('a')
  now += 51
  expect(await files.find('a')).toMatchObject({ key: 'a' })
  expect(statementValues.at(-1)).toEqual(['after 1', []])
})

test('50 ms after a statement was sent, a file is not returned at once; after 25 ms, the next statement is sent', async () => {
  answer = async () => {
    now += 10
  }
  await files.find('a')
  now = 1025
  expect(recallKeys('a')).toEqual(['a'])
  expect(statementValues).toHaveLength(1)
  const { promise, resolve } = Promise.withResolvers<void>()
  answer = () => promise
  now = 1050
  expect(recallKeys('a')).toEqual(['a'])
  expect(statementValues).toHaveLength(2)
  now = 1050.1
  expect(recallKeys('a')).toEqual([null])
  const waiting = files.find('a')
  resolve()
  expect(await waiting).toMatchObject({ key: 'a' })
  expect(recallKeys('a')).toEqual(['a'])
})

test.each(['track', 'collection', 'variant', 'organization'])('a change of its %s ends a file', async (subject) => {
  await Promise.all([files.find('a'), files.find('b')])
  valid.delete('a')
  changes = ['another', `${subject} of a`]
  now += 51
  expect(await files.find('b')).toMatchObject({ key: 'b' })
  expect(recallKeys('a', 'b')).toEqual([null, 'b'])
  expect(await files.find('a')).toBeUndefined()
})

test('a known file that has changed is read again before it is returned', async () => {
  await files.find('a')
  changes = ['track of a']
  now += 51
  expect(await files.find('a')).toMatchObject({ key: 'a' })
  expect(statementValues.slice(1)).toEqual([
    ['after 1', []],
    ['after 2', ['a']],
  ])
})

test('more changes than the database lists end all files', async () => {
  await files.find('a')
  changes = []
  await files.find('b')
  expect(recallKeys('a', 'b')).toEqual([null, 'b'])
})

test('after a failure nothing is known, and the one who waits learns of it', async () => {
  await files.find('a')
  answer = async () => {
    throw new Error('away')
  }
  now += 30
  expect(recallKeys('a')).toEqual(['a'])
  await expect(files.find('b')).rejects.toThrow('away')
  expect(recallKeys('a')).toEqual([null])
  answer = async () => {}
  await files.find('a')
  expect(statementValues.at(-1)).toEqual([null, ['a']])
})

test('after a minute everything is read again, however often it was asked for', async () => {
  await files.find('a')
  for (const passed of [30_000, 60_000]) {
    now = 1000 + passed
    await files.find('a')
    expect(statementValues.at(-1)).toEqual([expect.any(String), []])
  }
  now = 61_001
  await files.find('a')
  expect(statementValues.at(-1)).toEqual([null, ['a']])
})

test('each statement counts for what it has found, also if the next one of the batch ends it', async () => {
  await files.find('b')
  valid.add('c')
  const ends = [null, 'track of b', 'track of a']
  answer = async () => {
    const subject = ends.shift()
    changes = subject ? [subject] : null
  }
  now += 51
  const finding = ['c', 'a', 'b'].map((path) => files.find(path))
  expect((await Promise.all(finding)).map((file) => file?.key)).toEqual(['c', 'a', 'b'])
  expect(statementValues.slice(1).map(([, paths]) => paths)).toEqual([['c'], ['a'], ['b']])
})

test('one statement at a time renews', async () => {
  await files.find('a')
  now += 30
  const { promise, resolve } = Promise.withResolvers<void>()
  answer = () => promise
  for (let i = 0; i < 1200; i++) expect(recallKeys('a')).toEqual(['a'])
  resolve()
  await files.find('a')
  expect(statementValues).toHaveLength(3)
})

test('requests that arrive while a statement runs share the next one', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  answer = () => promise
  const finding = ['a', 'b', 'c', 'b'].map((path) => files.find(path))
  resolve()
  expect((await Promise.all(finding)).map((file) => file?.key)).toEqual(['a', 'b', undefined, 'b'])
  expect(statementValues.map(([, paths]) => paths)).toEqual([['a'], ['b', 'c']])
})
