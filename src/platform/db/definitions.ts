import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from 'pg'
import { OperatorError } from '../../config.ts'

/** A file of `sql`: the current definition of a function with its triggers, or of a view. It can be applied repeatedly. */
export interface Definition {
  /** Name of the file, without its extension. */
  name: string
  script: string
  /** SHA-256 of the script, hexadecimal. */
  checksum: string
  /** Names of the definitions that must exist before. From the line `-- After: NAME, NAME`. */
  after: string[]
}

/** A row of `schema_definition`. */
export interface AppliedDefinition {
  name: string
  /** Empty after a migration, which may have dropped the objects. */
  checksum: string
  /** The release that has applied it. */
  release: string
}

type Queryable = Pick<Client, 'query'>

/** Reads the definitions of a folder, in the order in which they can be applied. Empty for a folder that does not exist. */
export async function readDefinitions(directory: string): Promise<Definition[]> {
  const files = await readdir(directory).catch(() => [])
  const definitions = await Promise.all(
    files.sort().map(async (file) => {
      const script = await Bun.file(join(directory, file)).text()
      const after = /^-- After: (.+)$/m.exec(script)?.[1]?.split(', ') ?? []
      const checksum = createHash('sha256').update(script).digest('hex')
      return { name: file.replace(/\.sql$/, ''), script, checksum, after }
    }),
  )
  return inOrder(definitions)
}

/** @throws Error when definitions wait for each other, or for one that does not exist */
function inOrder(definitions: readonly Definition[]): Definition[] {
  const ordered = new Map<string, Definition>()
  while (ordered.size < definitions.length) {
    const next = definitions.find(({ name, after }) => !ordered.has(name) && after.every((other) => ordered.has(other)))
    if (!next) {
      const waiting = definitions.filter(({ name }) => !ordered.has(name)).map(({ name }) => name)
      throw new Error(`no order of the definitions ${waiting.join(', ')}: correct their lines "-- After:"`)
    }
    ordered.set(next.name, next)
  }
  return [...ordered.values()]
}

export async function createDefinitionHistory(client: Queryable): Promise<void> {
  await client.query(
    `CREATE TABLE schema_definition (
      name text PRIMARY KEY,
      checksum text NOT NULL,
      release text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`,
  )
}

export async function readAppliedDefinitions(client: Queryable): Promise<AppliedDefinition[]> {
  return (await client.query<AppliedDefinition>('SELECT name, checksum, release FROM schema_definition')).rows
}

/** Returns the definitions that the database does not have in this form. */
export function changedDefinitions(
  definitions: readonly Definition[],
  applied: readonly AppliedDefinition[],
): Definition[] {
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  return definitions.filter(({ name, checksum }) => checksums.get(name) !== checksum)
}

/** Returns whether a later release has applied any definition. */
export const isOfLaterRelease = (applied: readonly AppliedDefinition[], release: string): boolean =>
  applied.some((row) => Bun.semver.order(row.release, release) > 0)

/** @throws OperatorError when the database has a definition whose file was removed: nothing would drop its objects */
export function checkRemoved(definitions: readonly Definition[], applied: readonly AppliedDefinition[]): void {
  const names = new Set(definitions.map(({ name }) => name))
  const removed = applied.find(({ name }) => !names.has(name))
  if (!removed) return
  throw new OperatorError(
    `the definition ${removed.name} of the database has no file in this release; a migration must drop its objects and ` +
      `its row: DELETE FROM schema_definition WHERE name = '${removed.name}'`,
  )
}

/** Applies a definition and records it, in the caller's transaction. */
export async function applyDefinition(
  client: Queryable,
  { name, script, checksum }: Definition,
  release: string,
): Promise<void> {
  await client.query(script)
  await client.query(
    `INSERT INTO schema_definition (name, checksum, release) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, release = excluded.release, applied_at = now()`,
    [name, checksum, release],
  )
}

/** Has all definitions applied again, in the caller's transaction. */
export async function forgetDefinitions(client: Queryable): Promise<void> {
  await client.query(`UPDATE schema_definition SET checksum = ''`)
}
