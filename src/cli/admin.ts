import { parseArgs } from 'node:util'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { OperatorError } from '../config.ts'
import { createAdministratorInput } from '../domain/access/administrator/record.ts'
import {
  insertAdministrator,
  listOrganizationAdministrators,
  removeSecondFactorByEmail,
  resetPasswordByEmail,
  unlock,
} from '../domain/access/administrator/service.ts'
import { issueKey } from '../domain/access/key/keys.ts'
import { revokeAnyKey } from '../domain/access/key/manage.ts'
import { createSignInLink } from '../domain/access/sign-in-link/service.ts'
import { createOrganization, listOrganizations } from '../domain/organization/service.ts'
import { readMonth } from '../domain/usage/archive.ts'
import { insertStandardVariants } from '../domain/variant/standard.ts'
import type { Services } from '../platform/context.ts'
import { recordDrill } from '../platform/db/backup-times.ts'
import { toAppError } from '../platform/errors.ts'
import { rotateTokenKeys } from '../platform/identity/token-key-rotation.ts'
import { parse } from '../platform/schema/parse.ts'
import { uuidRule } from '../platform/schema/rules.ts'
import { type Opening, runBackup, runBackupInto, runCheckObjects, runRestore } from './backup/commands.ts'
import { readCredentials } from './first-start.ts'
import { openServices } from './services.ts'

type TextOption =
  | 'name'
  | 'domain'
  | 'organization'
  | 'email'
  | 'kind'
  | 'title'
  | 'key'
  | 'after'
  | 'to'
  | 'into'
  | 'keep'
  | 'from'
  | 'month'
type Flag = 'without-variants' | 'at-once' | 'with-files' | 'with-secret' | 'deep'
type Values = Partial<Record<TextOption, string>> & Partial<Record<Flag, boolean>>

/** Where a command writes to. */
export interface Streams {
  /** Prints a text for people, separate from the output. */
  note: (text: string) => void
  /** Writes a part of an output that is not JSON. */
  write: (chunk: Uint8Array) => Promise<void>
}

interface CommandTexts {
  /** Options and output, as shown in the usage. */
  usage: string
  output: string
  texts?: TextOption[]
  flags?: Flag[]
}

interface ServiceCommand extends CommandTexts {
  /**
   * @returns the output. Null if all of it was written
   */
  run: (services: Services, values: Values, streams: Streams) => Promise<object | null>
  runAlone?: undefined
}

/** A command that opens the database itself, because it must not migrate it. */
interface AloneCommand extends CommandTexts {
  runAlone: (opening: Opening, values: Values) => Promise<object>
}

type Command = ServiceCommand | AloneCommand

const commands: Record<string, Command> = {
  'create-organization': {
    usage: '--name NAME [--domain HOST] [--without-variants]',
    output: '{organization_id, api_key}',
    texts: ['name', 'domain'],
    flags: ['without-variants'],
    run: createTenant,
  },
  'create-admin': {
    usage: '--organization ID --email ADDRESS',
    output: '{email, password}',
    texts: ['organization', 'email'],
    run: async (services, { organization, email }) => {
      const person = parse(createAdministratorInput, { email: required('email', email), role: 'owner' })
      const { administrator, password } = await insertAdministrator(
        services,
        await existing(services, organization),
        person,
      )
      return { email: administrator.email, password }
    },
  },
  'create-key': {
    usage: '--organization ID --kind api --title TITLE',
    output: '{api_key, api_key_id}',
    texts: ['organization', 'kind', 'title'],
    run: async (services, { organization, kind, title }) => {
      if (required('kind', kind) !== 'api') {
        throw new OperatorError('--kind: must be api; keys of other kinds are created with POST /v1/api_key')
      }
      const organizationId = await existing(services, organization)
      const { key, record } = await issueKey(services, organizationId, 'api', { title: required('title', title) })
      return { api_key: key, api_key_id: record.id }
    },
  },
  'list-organizations': {
    usage: '[--after ID]',
    output: '[{organization_id, name, domain, created_at}], at most 10,000',
    texts: ['after'],
    run: async (services, { after }) => {
      const last = after === undefined ? undefined : parse(uuidRule, after, 'after')
      const organizations = await listOrganizations(services, last)
      return organizations.map(({ id, name, domain, createdAt }) => ({
        organization_id: id,
        name,
        domain,
        created_at: createdAt,
      }))
    },
  },
  'list-administrators': {
    usage: '--organization ID',
    output:
      '[{administrator_id, email, role, is_disabled, has_second_factor, last_sign_in_at, created_at}], at most 10,000',
    texts: ['organization'],
    run: async (services, { organization }) => {
      const administrators = await listOrganizationAdministrators(services, await existing(services, organization))
      return administrators.map(({ id, email, role, disabledAt, sealedTotpSecret, lastSignInAt, createdAt }) => ({
        administrator_id: id,
        email,
        role,
        is_disabled: disabledAt !== null,
        has_second_factor: sealedTotpSecret !== null,
        last_sign_in_at: lastSignInAt,
        created_at: createdAt,
      }))
    },
  },
  'reset-password': {
    usage: '--email ADDRESS',
    output: '{email, password}; removes the passkeys and ends the sessions of the administrator',
    texts: ['email'],
    run: async (services, { email }) => {
      const { administrator, password } = await resetPasswordByEmail(services, required('email', email))
      return { email: administrator.email, password }
    },
  },
  'remove-second-factor': {
    usage: '--email ADDRESS',
    output: '{email}; for an administrator who lost it. Ends the sessions of the administrator',
    texts: ['email'],
    run: async (services, { email }) => ({
      email: (await removeSecondFactorByEmail(services, required('email', email))).email,
    }),
  },
  'sign-in-link': {
    usage: '--email ADDRESS',
    output:
      '{email, link, expires_at}; signs in without the password, once, for 15 minutes. A second factor is still required',
    texts: ['email'],
    run: async (services, values) => {
      const config = await withServedAddress(services.config)
      const { email, link, expiresAt } = await createSignInLink(
        { ...services, config },
        required('email', values.email),
      )
      return { email, link, expires_at: expiresAt }
    },
  },
  unlock: {
    usage: '--email ADDRESS',
    output: '{email}; lifts the limit on wrong passwords',
    texts: ['email'],
    run: async (services, { email }) => ({ email: (await unlock(services, required('email', email))).email }),
  },
  'revoke-key': {
    usage: '--key ID',
    output: '{api_key_id, kind, title, revoked_at}',
    texts: ['key'],
    run: async (services, { key }) => {
      const { id, kind, title, revokedAt } = await revokeAnyKey(services, required('key', key))
      return { api_key_id: id, kind, title, revoked_at: revokedAt }
    },
  },
  'rotate-token-key': {
    usage: '[--at-once]',
    output:
      '{token_key_id, retired_token_key_ids}; the key signs after an hour. --at-once (after a leak) retires all earlier keys within a minute',
    flags: ['at-once'],
    run: async (services, { 'at-once': isAtOnce }) => {
      const { createdKeyId, retired } = await rotateTokenKeys(services, { isForced: true, isAtOnce })
      return { token_key_id: createdKeyId, retired_token_key_ids: retired }
    },
  },
  backup: {
    usage: '[--into FOLDER|s3://BUCKET/PREFIX] [--keep N] [--with-secret] | --to FOLDER [--with-files] [--with-secret]',
    output:
      '{folder, created_at, version, tables, rows, database_bytes, objects, bytes, missing, …}. While the service runs. --into (default: BACKUP_TO) makes a dated one with the bytes of objects, stores each once, and keeps the newest N',
    texts: ['to', 'into', 'keep'],
    flags: ['with-files', 'with-secret'],
    runAlone: (opening, { to, into, keep, 'with-files': hasFiles = false, 'with-secret': hasSecret = false }) => {
      if (to !== undefined && (into !== undefined || keep !== undefined)) {
        throw new OperatorError('--to: makes one backup; --into and --keep are for several')
      }
      if (to !== undefined) return runBackup(opening, required('to', to), { hasFiles, hasSecret })
      const keepCount = keep === undefined ? null : Number(keep)
      if (keepCount !== null && !(Number.isInteger(keepCount) && keepCount >= 1)) {
        throw new OperatorError(`--keep: must be a whole number of at least 1, got ${keep}`)
      }
      return runBackupInto(opening, { into: into ?? null, keep: keepCount, hasSecret })
    },
  },
  restore: {
    usage: '--from FOLDER|s3://BUCKET/PREFIX[/NAME]',
    output:
      '{created_at, version, tables, rows, files, objects, missing, …}. Into an empty database. Of several backups the newest',
    texts: ['from'],
    runAlone: (opening, { from }) => runRestore(opening, required('from', from)),
  },
  'record-drill': {
    usage: '',
    output: '{last_drill_at}; after a restore drill. doctor asks for one every 90 days',
    run: async ({ pool, clock }) => {
      const restoredAt = clock()
      await recordDrill(pool, restoredAt)
      return { last_drill_at: restoredAt }
    },
  },
  'check-objects': {
    usage: '[--from FOLDER|s3://BUCKET/PREFIX[/NAME]] [--deep]',
    output:
      '{objects, bytes, missing, missing_keys, differing, differing_keys}: storage, compared with the rows or a backup. --deep compares checksums',
    texts: ['from'],
    flags: ['deep'],
    runAlone: (opening, { from, deep = false }) => runCheckObjects(opening, from, deep),
  },
  plays: {
    usage: '--month YYYY-MM',
    output: 'the single play requests of a month as CSV, from the archive and the ledger',
    texts: ['month'],
    run: async (services, { month }, { write }) => {
      const name = required('month', month)
      if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(name)) throw new OperatorError('--month: must be a month, such as 2026-01')
      if (name > services.clock().toISOString().slice(0, 7)) throw new OperatorError(`--month: ${name} has not begun`)
      const chunks = await readMonth(services, name)
      if (!chunks) throw new OperatorError(`--month: neither the ledger nor the archive has ${name}`)
      for await (const chunk of chunks) await write(chunk)
      return null
    },
  },
  'notification-token': {
    usage: '',
    output: '{notification_token}, for the notifications of a bucket',
    run: async ({ signing }) => ({ notification_token: signing.notificationToken }),
  },
}

export const ADMIN_USAGE = [
  'usage: admin <command>. Prints JSON on standard output, and notes on standard error.',
  ...Object.entries(commands).map(([name, { usage, output }]) => `  ${`${name} ${usage}`.trim()}\n      -> ${output}`),
].join('\n')

/**
 * Runs `admin <command>`: commands for operators, on the database of the service.
 * @returns the output. Null if all of it was written to `streams`
 */
export async function admin(
  config: Config,
  log: Logger,
  args: string[],
  { note, write }: Streams,
): Promise<object | null> {
  const [name = '', ...rest] = args
  const command = commands[name]
  if (!command) throw new OperatorError(name ? `admin: unknown command "${name}"\n${ADMIN_USAGE}` : ADMIN_USAGE)
  const values = readOptions(name, command, rest)
  try {
    await using opened = new AsyncDisposableStack()
    if (command.runAlone) return await command.runAlone({ config, log, note }, values)
    const { services, close } = await openServices(config, log, 'command')
    opened.defer(close)
    return await command.run(services, values, { note, write })
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const appError = toAppError(error)
    if (appError.code === 'internal') throw error
    throw new OperatorError(
      appError.messageFor((field) => optionOf[field] ?? `--${field}`),
      { cause: error },
    )
  }
}

/** Options by field name in error messages. */
const optionOf: Record<string, string> = { organizationId: '--organization', keyId: '--key' }

function readOptions(name: string, { texts = [], flags = [], usage }: Command, args: string[]): Values {
  const options = Object.fromEntries([
    ...texts.map((option) => [option, { type: 'string' }] as const),
    ...flags.map((option) => [option, { type: 'boolean' }] as const),
  ])
  try {
    return parseArgs({ args, options }).values as Values
  } catch (error) {
    throw new OperatorError(`${(error as Error).message}\nusage: admin ${name} ${usage}`, { cause: error })
  }
}

/** The settings with the address of the last start: with the embedded database a command may run with other ports than the service. */
async function withServedAddress(config: Config): Promise<Config> {
  const credentials = config.isEmbedded ? await readCredentials(config.dataDir) : null
  return credentials ? { ...config, publicUrl: credentials.base_url } : config
}

function required(name: string, value: string | undefined): string {
  if (!value?.trim()) throw new OperatorError(`--${name}: is required`)
  return value.trim()
}

async function existing(services: Services, organization: string | undefined): Promise<string> {
  const id = parse(uuidRule, required('organization', organization), 'organization')
  const organizationRow = await services.db.organization.findUnique({ where: { id }, select: { id: true } })
  if (!organizationRow) throw new OperatorError(`--organization: no organization has the ID ${id}`)
  return id
}

async function createTenant(services: Services, values: Values, { note }: Streams): Promise<object> {
  const name = required('name', values.name)
  const { organization, variants, key } = await services.db.$transaction(async (tx) => {
    const inside = { ...services, db: tx as unknown as Services['db'] }
    const organization = await createOrganization(inside, name, values.domain)
    const variants = values['without-variants'] ? [] : await insertStandardVariants(tx, organization.id)
    const { key } = await issueKey(inside, organization.id, 'api', { title: 'First key' })
    return { organization, variants, key }
  })
  const indexes = variants.map(({ index }) => index)
  const { publicUrl } = services.config
  note(`The organization "${organization.name}" was created. Its files are delivered from ${organization.domain}.
${indexes.length > 0 ? `Its variants: ${indexes.join(', ')}.` : 'It has no variants: until one is created, no files are generated for a track (status_code no_variants).'}
Next:
  admin create-admin --organization ${organization.id} --email ADDRESS
      the owner who signs in at ${publicUrl}/studio${indexes.length > 0 ? '' : `\n  ${publicUrl}/studio/variants\n      the first variant`}
  POST ${publicUrl}/v1/collection with the api_key as Bearer and {"title": ...}
      a collection, into which tracks are uploaded
  POST ${publicUrl}/v1/api_key with {"title": ..., "api_key_type_id": "share", "variants": ["${indexes[0] ?? 'INDEX'}"]}
      a share key, for stream links`)
  return { organization_id: organization.id, api_key: key }
}
