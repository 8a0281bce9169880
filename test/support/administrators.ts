import type { AdministratorRole } from '../../src/platform/db/generated/client/enums.ts'
import { type Answer, type Json, type TestService, toAnswer } from './service.ts'
import { untilBlocked } from './until.ts'

/** The credentials and the address of a client. */
export interface From {
  /** A key or token. Defaults to none. */
  key?: string | null
  address?: string
  headers?: Record<string, string>
}

/** Sends a GraphQL operation from a given address and returns the answer. */
export async function post(service: TestService, query: string, variables: object, from: From = {}): Promise<Answer> {
  const headers = new Headers({ 'content-type': 'application/json', ...from.headers })
  if (from.key) headers.set('authorization', `Bearer ${from.key}`)
  const body = JSON.stringify({ query, variables })
  const url = `${service.services.config.publicUrl}/graphql`
  return toAnswer(await service.gateway(new Request(url, { method: 'POST', headers, body }), from.address))
}

/** Runs an operation that must succeed and returns its data. */
export async function data(
  service: TestService,
  query: string,
  variables: object = {},
  key: string | null = null,
): Promise<Json> {
  const { json } = await post(service, query, variables, { key })
  if (json.errors || !json.data) throw new Error(JSON.stringify(json))
  return json.data
}

/** The error code of an answer: of a GraphQL error, or of the envelope. */
export const codeOf = ({ json }: Answer): string | undefined => json.errors?.[0].extensions.code ?? json.code

export const SIGN_IN = `mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) {
  token expiresAt refreshToken refreshExpiresAt administrator { id email role isDisabled lastSignInAt } } }`

/** Signs in with an email address and a password. Defaults to the owner of the demo organization. */
export const trySignIn = (service: TestService, person: Partial<Person> = {}, from: From = {}) =>
  post(service, SIGN_IN, { ...service.demo.admin, ...person }, from)

export async function signIn(service: TestService, person: Partial<Person> = {}): Promise<Json> {
  const { json } = await trySignIn(service, person)
  if (json.errors) throw new Error(JSON.stringify(json.errors))
  return json.data.signIn
}

/** Email address and password of an administrator. */
export interface Person {
  email: string
  password: string
}

let people = 0

/** Creates an administrator with a role, as the demo organization's owner. */
export async function hire(service: TestService, owner: string, role: AdministratorRole) {
  people += 1
  const email = `person-${people}@example.com`
  const create = `mutation ($input: CreateAdministratorInput!) {
    createAdministrator(input: $input) { administrator { id } password } }`
  const { createAdministrator: payload } = await data(
    service,
    create,
    { input: { email, role: role.toUpperCase() } },
    owner,
  )
  return { id: payload.administrator.id as string, email, password: payload.password as string }
}

/** Whether a token is still valid. */
export async function isAlive(service: TestService, key: string): Promise<boolean> {
  const { status, json } = await post(service, '{ viewer { __typename } }', {}, { key })
  return status === 200 && json.data.viewer !== null
}

/** Runs SQL without the service. */
export const sql = (service: TestService, text: string, values: unknown[] = []) =>
  service.services.pool.query(text, values)

/**
 * Runs statements in a transaction, starts other work, and commits when `waiting` connections wait for the locks.
 */
export async function whileLocked<T>(
  service: TestService,
  statements: [text: string, values?: unknown[]][],
  begin: () => Promise<T>,
  waiting: number,
): Promise<T> {
  const { pool } = service.services
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    for (const [text, values] of statements) await client.query(text, values)
    const begun = begin()
    await untilBlocked(pool, { count: waiting })
    await client.query('COMMIT')
    return await begun
  } finally {
    client.release()
  }
}
