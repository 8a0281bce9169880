import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { welcome } from '../../src/cli/welcome.ts'
import { useTestService } from '../support/service.ts'

// With settings, so that the first start is its own and not a copy.
const service = useTestService({ DEMO: 'on' })

test('the first start prints valid shell commands, and no key', async () => {
  const text = welcome(service.services.config, service.demo)
  for (const secret of [service.demo.api_key, service.demo.share_key, service.demo.admin.password]) {
    expect(text).not.toContain(secret)
  }
  const commands = text.split('\n').filter((line) => line.startsWith('    ') && !line.includes('   http'))
  const values = ['api_key', 'share_key', 'collection_id'].map((name) => `cred ${name}`)
  const script = `${commands.slice(0, 1).join('\n')}\n${values.join('\n')}`
  const run = Bun.spawnSync(['bash', '-c', script])
  expect(run.stdout.toString().trim().split('\n')).toEqual([
    service.demo.api_key,
    service.demo.share_key,
    service.demo.collection_id,
  ])
  expect(Bun.spawnSync(['bash', '-n', '-c', commands.join('\n')]).exitCode).toBe(0)
})

test.each([true, false])('the text names the pages that are on: documentation %p', (isDocs) => {
  const text = welcome({ ...service.services.config, isDocs }, null)
  expect(text).toContain('/studio\n')
  expect(text.includes('/docs/guides\n')).toBe(isDocs)
})

test('a later start prints the file of the keys, and no key', async () => {
  const text = welcome(service.services.config, null)
  expect(text).toContain('credentials.json')
  const credentials = JSON.parse(await readFile(`${service.dataDir}/credentials.json`, 'utf8'))
  expect(text).not.toContain(credentials.api_key)
})
