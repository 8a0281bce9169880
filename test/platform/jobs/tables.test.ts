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

test('one file names the private tables', async () => {
  const paths = await Array.fromAsync(new Glob('{src,.config}/**/*.{ts,tsx,sql,yaml}').scan({ dot: true }))
  expect(paths.length).toBeGreaterThan(500)
  const files = paths.filter((path) => !path.includes('/generated/'))
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await Bun.file(file).text() })))
  const naming = texts.filter(({ text }) => /\b_private_/.test(text)).map(({ file }) => file)
  expect(naming).toEqual(['src/platform/jobs/tables.ts'])
})
