// Migrations after the first release only expand: the release before serves while they are applied, and after them.
import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { readMigrations, schemaDirectory } from '../../../src/platform/db/migrate.ts'

/** The last migration of the first release. Later ones only expand. */
const RELEASED = '20261126000000_initial'

/** Rules of squawk that do not apply, each with the reason. */
const excluded: Record<string, string> = {
  'prefer-robust-stmts': 'a migration is one transaction, so none is repeated in part',
  'require-lock-timeout': 'the runner sets it, and repeats the migration',
  'require-statement-timeout': 'a statement that locks waits at most for the lock timeout',
  'prefer-bigint-over-int': 'a matter of the column',
  'prefer-bigint-over-smallint': 'a matter of the column',
  'prefer-identity': 'Prisma writes serial columns',
  'prefer-text-field': 'a matter of the column',
}

const squawk = join(
  dirname(Bun.resolveSync(`@squawk-cli/${process.platform}-${process.arch}/package.json`, squawkPackage())),
  'bin/squawk',
)
function squawkPackage(): string {
  return dirname(Bun.resolveSync('squawk-cli/package.json', import.meta.dir))
}

/** @returns each finding as `rule: statement of a file` */
async function lint(files: readonly string[]): Promise<string[]> {
  const flags = ['--reporter', 'json', '--assume-in-transaction', '--pg-version', '15.0']
  const child = Bun.spawn([squawk, ...flags, `--exclude=${Object.keys(excluded).join(',')}`, ...files], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  await child.exited
  if (output.trim() === '') throw new Error(`squawk: ${error}`)
  const violations: { file: string; line: number; rule_name: string; message: string }[] = JSON.parse(output)
  return violations.map(({ file, line, rule_name, message }) => {
    const name = basename(file)
    return `${name}:${line + 1} ${rule_name}: ${message}`
  })
}

/** The findings of a script. */
async function rulesOf(script: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-rules-'))
  try {
    await Bun.write(join(folder, 'migration.sql'), script)
    return (await lint([join(folder, 'migration.sql')])).map((finding) => finding.split(' ')[1]?.slice(0, -1) ?? '')
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A contract step declares what it needs, and is refused by processes that do not have it. */
const isContract = (script: string) => script.startsWith('-- Contract: needs ')

describe('a migration after the first release', () => {
  test('changes nothing that the release before uses, and locks no table for long', async () => {
    const migrations = await readMigrations()
    expect(migrations.map(({ name }) => name)).toContain(RELEASED)
    const later = migrations.filter(({ name, script }) => name > RELEASED && !isContract(script))
    const files = later.map(({ name }) => join(schemaDirectory, 'migrations', `${name}.sql`))
    expect(files.length === 0 ? [] : await lint(files)).toEqual([])
  }, 20_000)

  test('that ignores a rule says why', async () => {
    const silent = (await readMigrations()).flatMap(({ name, script }) =>
      script
        .split('\n')
        .filter((line, i, lines) => /squawk-ignore/.test(line) && !/^-- \S.{15,}/.test(lines[i - 1] ?? ''))
        .map((line) => `${name}: ${line}`),
    )
    expect(silent).toEqual([])
  })

  test('that is a contract step needs a migration that exists before it', async () => {
    const migrations = await readMigrations()
    for (const { name, needs } of migrations.filter(({ script }) => isContract(script))) {
      expect(migrations.map((other) => other.name)).toContain(needs ?? '')
      expect((needs ?? '') < name).toBe(true)
    }
  })
})

test.each([
  ['a dropped column', 'ALTER TABLE track DROP COLUMN info;', 'ban-drop-column'],
  ['a dropped table', 'DROP TABLE play_session;', 'ban-drop-table'],
  ['a renamed column', 'ALTER TABLE track RENAME COLUMN info TO details;', 'renaming-column'],
  ['a renamed table', 'ALTER TABLE track RENAME TO recording;', 'renaming-table'],
  ['another type', 'ALTER TABLE track ALTER COLUMN "order" TYPE bigint;', 'changing-column-type'],
  ['NOT NULL on rows that exist', 'ALTER TABLE track ALTER COLUMN info SET NOT NULL;', 'adding-not-nullable-field'],
  ['a new required column', 'ALTER TABLE track ADD COLUMN x text NOT NULL;', 'adding-required-field'],
  ['a default for each row', 'ALTER TABLE track ADD x uuid DEFAULT gen_random_uuid();', 'adding-field-with-default'],
  [
    'a check that reads all rows',
    'ALTER TABLE track ADD CONSTRAINT a CHECK (progress < 9);',
    'constraint-missing-not-valid',
  ],
  [
    'a foreign key that reads all rows',
    'ALTER TABLE track ADD CONSTRAINT a FOREIGN KEY (creator_id) REFERENCES creator (id);',
    'adding-foreign-key-constraint',
  ],
  ['an index of a table with rows', 'CREATE INDEX a ON track (info);', 'require-concurrent-index-creation'],
  ['a unique constraint', 'ALTER TABLE track ADD CONSTRAINT a UNIQUE (info);', 'disallowed-unique-constraint'],
])('refuses %s', async (_, statement, rule) => {
  expect(await rulesOf(statement)).toContain(rule)
})

test('accepts a new table with its indexes, a nullable column and a check that is not valid yet', async () => {
  const script = `CREATE TABLE a (id uuid PRIMARY KEY, n integer); CREATE INDEX b ON a (n);
    ALTER TABLE track ADD COLUMN x text; ALTER TABLE track ADD COLUMN y boolean NOT NULL DEFAULT false;
    ALTER TABLE track ADD CONSTRAINT c CHECK (x <> '') NOT VALID;`
  expect(await rulesOf(script)).toEqual([])
})
