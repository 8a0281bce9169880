import { parseArgs } from 'node:util'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { insertAdministrator } from '../../domain/access/administrator/service.ts'
import { issueKey } from '../../domain/access/key/keys.ts'
import { createOrganization } from '../../domain/organization/service.ts'
import type { Services } from '../../platform/context.ts'
import { AppError, OperatorError } from '../../platform/errors.ts'
import { parse, uuid } from '../../platform/input.ts'
import { rotateTokenKeys } from '../../platform/token-key-rotation.ts'
import { openServices } from '../services.ts'

const USAGE = `usage: bun run admin <command>
  create-organization --name NAME [--domain HOST]            -> {organization_id, api_key}
  create-admin --organization ID --email ADDRESS             -> {email, password}
  create-key --organization ID --kind api --title TITLE      -> {api_key, api_key_id}
  rotate-token-key [--at-once]                               -> {token_key_id, retired_token_key_ids}
                     signs in an hour; at once, all earlier keys being refused, where one has leaked
  notification-token                                         -> {notification_token}, for a bucket`

type Values = Partial<Record<'name' | 'domain' | 'organization' | 'email' | 'kind' | 'title', string>> & {
  'at-once'?: boolean
}

const commands: Record<string, (services: Services, values: Values) => Promise<object>> = {
  'create-organization': async (services, { name, domain }) => {
    const organization = await createOrganization(services, required('name', name), domain)
    const { key } = await issueKey(services, organization.id, 'api', { title: 'First key' })
    return { organization_id: organization.id, api_key: key }
  },
  'create-admin': async (services, { organization, email }) => {
    const person = { email: required('email', email), role: 'owner' }
    const made = await insertAdministrator(services, await existing(services, organization), person)
    return { email: made.administrator.email, password: made.password }
  },
  'create-key': async (services, { organization, kind, title }) => {
    if (required('kind', kind) !== 'api')
      throw new OperatorError('--kind: must be api; the other kinds are made through the API')
    const organizationId = await existing(services, organization)
    const { key, record } = await issueKey(services, organizationId, 'api', { title: required('title', title) })
    return { api_key: key, api_key_id: record.id }
  },
  'rotate-token-key': async (services, { 'at-once': isAtOnce }) => {
    const { made, retired } = await rotateTokenKeys(services, { isForced: true, isAtOnce })
    return { token_key_id: made, retired_token_key_ids: retired }
  },
  'notification-token': async ({ signing }) => ({ notification_token: signing.notificationToken }),
}

/** `bun run admin ...`: what only operators may do. JSON on standard output. */
export async function admin(config: Config, log: Logger, args: string[]): Promise<object> {
  const { positionals, values } = readArguments(args)
  const command = commands[positionals[0] ?? '']
  if (!command || positionals.length > 1) throw new OperatorError(USAGE)
  const { services, close } = await openServices(config, log, true)
  try {
    return await command(services, values as Values)
  } catch (error) {
    throw error instanceof AppError ? new OperatorError(error.message) : error
  } finally {
    await close()
  }
}

function readArguments(args: string[]) {
  const text = { type: 'string' } as const
  const options = { name: text, domain: text, organization: text, email: text, kind: text, title: text }
  const flags = { 'at-once': { type: 'boolean' } } as const
  try {
    return parseArgs({ args, options: { ...options, ...flags }, allowPositionals: true })
  } catch (error) {
    throw new OperatorError(`${(error as Error).message}\n${USAGE}`)
  }
}

function required(name: string, value: string | undefined): string {
  if (!value?.trim()) throw new OperatorError(`--${name}: is required\n${USAGE}`)
  return value.trim()
}

async function existing(services: Services, organization: string | undefined): Promise<string> {
  const id = parse(uuid, required('organization', organization), '--organization')
  const found = await services.db.organization.findUnique({ where: { id }, select: { id: true } })
  if (!found) throw new OperatorError('--organization: no such organization')
  return id
}
