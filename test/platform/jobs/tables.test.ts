import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { COMPARED_VERSION, queueColumns } from '../../../src/platform/jobs/tables.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()

test('the private tables of the queue were compared with the installed version', async () => {
  const installed = await Bun.file('node_modules/graphile-worker/package.json').json()
  expect(installed.version).toBe(COMPARED_VERSION)
})

test.each(Object.keys(queueColumns))('%s has the columns that statements use', async (table) => {
  const [schema, name] = table.split('.')
  const { rows } = await service.services.pool.query(
    'SELECT column_name FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2',
    [schema, name],
  )
  expect(rows.map(({ column_name }) => column_name)).toEqual(expect.arrayContaining([...(queueColumns[table] ?? [])]))
})

test('one file names the private tables, and one helper of tests uses it', async () => {
  const paths = await Array.fromAsync(new Glob('{src,test,.config}/**/*.{ts,tsx,sql,yaml}').scan({ dot: true }))
  expect(paths.length).toBeGreaterThan(900)
  const files = paths.filter(
    (path) => !/\/generated\/|^test\/\.tmp\//.test(path) && path !== 'test/platform/jobs/tables.test.ts',
  )
  const texts = await Promise.all(files.map(async (path) => ({ path, text: await Bun.file(path).text() })))
  const find = (pattern: RegExp) => texts.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
  expect(find(/\b_private_/)).toEqual(['src/platform/jobs/tables.ts'])
  const importers = find(/\/jobs\/tables\.ts'/).filter((path) => path.startsWith('test/'))
  expect(importers).toEqual(['test/support/queue.ts'])
})
