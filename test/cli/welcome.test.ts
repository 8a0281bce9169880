import { afterAll, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { prepare } from '../../src/cli/start.ts'
import { welcome } from '../../src/cli/welcome.ts'
import { loadConfig } from '../../src/config.ts'
import { cleanUp, createPlace, type Place, startProcess } from '../faults/process.ts'
import { sql } from '../support/administrators.ts'
import { tone } from '../support/audio.ts'
import { useTestService } from '../support/service.ts'

const places: Place[] = []
afterAll(() => cleanUp(...places))

// With settings, so that the first start is its own and not a copy.
const service = useTestService({ DEMO: 'empty' })
const empty = useTestService()

/** The commands of a first upload. */
const commandsOf = (text: string) =>
  text
    .slice(text.indexOf('A first upload'), text.indexOf('The same with progress'))
    .split('\n')
    .filter((line) => line.startsWith('    '))

test('a first start prints a sign-in link where it has one, and else the command that prints one', () => {
  const link = 'http://localhost:3000/studio/sign-in#token'
  const first = { credentials: service.demo, signInLink: link }
  expect(welcome(service.services.config, first)).toContain(`\n    ${link}\n`)
  const text = welcome(service.services.config, { ...first, signInLink: null })
  expect(text).not.toContain('sign-in#')
  expect(text).toContain('\n    bun run admin sign-in-link --email admin@example.com\n')
})

test.each([
  { isForPeople: true, roles: ['gateway'], hasLink: true },
  { isForPeople: false, roles: ['gateway'], hasLink: false },
  { isForPeople: true, roles: ['worker'], hasLink: false },
] as const)(
  'a start of $roles creates a link: $hasLink, for people: $isForPeople',
  async ({ isForPeople, roles, hasLink }) => {
    const { services, dataDir } = empty
    await services.db.administrator.deleteMany()
    await sql(empty, 'TRUNCATE organization CASCADE')
    const config = { ...services.config, dataDir, isDemo: true, roles: [...roles] }
    const first = await prepare({ ...services, config }, { announce: () => {}, isForPeople })
    expect(first?.credentials.admin.email).toBe('admin@example.com')
    expect(first?.signInLink !== null).toBe(hasLink)
    expect(await services.db.signInLink.count()).toBe(hasLink ? 1 : 0)
  },
)

test('the first start prints valid shell commands, and no key', async () => {
  const text = welcome(service.services.config, { credentials: service.demo, signInLink: null })
  for (const secret of [service.demo.api_key, service.demo.share_key, service.demo.admin.password]) {
    expect(text).not.toContain(secret)
  }
  const commands = commandsOf(text)
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

test('a later start without the file of the keys does not name it', () => {
  const text = welcome({ ...service.services.config, dataDir: `${service.dataDir}/restored` }, null)
  expect(text).toContain('/studio\n')
  expect(text).not.toContain('credentials.json')
})

test('the printed first upload works without an error on the way', async () => {
  const place = await createPlace()
  places.push(place)
  const { credentials } = await startProcess(place)
  const printed = welcome(loadConfig(place.env), { credentials, signInLink: null })
  const folder = dirname(place.env.DATA_DIR ?? '')
  await Bun.write(join(folder, 'song.mp3'), await tone(2))
  const script = commandsOf(printed).join('\n')
  expect(script).toContain('sound.m4a')
  const run = Bun.spawn(['bash', '-euo', 'pipefail', '-c', script], { cwd: folder, stdout: 'ignore', stderr: 'pipe' })
  expect(await run.exited).toBe(0)
  expect(await new Response(run.stderr).text()).not.toContain('curl: (')
  const sound = Bun.file(join(folder, 'sound.m4a'))
  expect(Buffer.from(await sound.slice(4, 8).arrayBuffer()).toString()).toBe('ftyp')
}, 60_000)
